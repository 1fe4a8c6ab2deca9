import torch, attn, time
from kernels_dsl.paged import paged_fwd as f
B,Nq,Nkv,D,bs=3,8,2,64,32
lens=torch.tensor([1,70,0],dtype=torch.int32)
P=12
kc,vc=torch.randn(P,bs,Nkv,D),torch.randn(P,bs,Nkv,D)
table=torch.randperm(P)[:12].reshape(3,4).int()
q=torch.randn(B,Nq,D)
def ref(dt):
    o=torch.zeros(B,Nq,D,dtype=torch.float64); l=torch.full((B,Nq),-torch.inf,dtype=torch.float64)
    for b in range(B):
        n=int(lens[b])
        if not n: continue
        k=kc.to(dt).double()[table[b].long()].flatten(0,1)[:n].repeat_interleave(4,1); v=vc.to(dt).double()[table[b].long()].flatten(0,1)[:n].repeat_interleave(4,1)
        s=torch.einsum("hd,nhd->hn",q.to(dt).double()[b],k)*0.125
        o[b]=torch.einsum("hn,nhd->hd",torch.softmax(s,1),v); l[b]=torch.logsumexp(s,1)
    return o,l
for dt in (torch.float32,torch.float16):
    a=[x.to(dt) for x in (q,kc,vc)]
    try:
        o,l,_,_=f(*a,table,lens,0.125,G=4,NS=2); ro,rl=ref(dt); print("cpu",dt,(o-ro).abs().max(),(l-rl).nan_to_num(0).abs().max())
    except Exception as e: print("cpu",str(e)[:800])
    for ph in ("launches",):
      try:
        r=attn.simulate(f,*a,table,lens,0.125,G=4,NS=2,phases=ph); print("chip",ph,(r.outputs[0]-ro).abs().max(),(r.outputs[1]-rl).nan_to_num(0).abs().max(), len(r.report.hazards))
      except Exception as e: print("chip",ph,str(e)[:1200])
