"""River behind a Starlette app, without a log: what one would write by hand.

python benchmarks/serve_peer.py PORT
"""

import sys

import uvicorn
from river import linear_model, preprocessing
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

model = preprocessing.StandardScaler() | linear_model.LogisticRegression()


async def predict(request):
    """Predict instances, with probabilities."""
    found = [model.predict_proba_one(x) for x in (await request.json())["instances"]]
    labels = [max(one, key=one.get) for one in found]
    likely = [{str(label): p for label, p in one.items()} for one in found]
    return JSONResponse({"predictions": labels, "probabilities": likely})


async def learn(request):
    """Learn examples, which are lost when the process ends."""
    body = await request.json()
    for x, y in zip(body["instances"], body["labels"], strict=True):
        model.learn_one(x, y == "yes")
    return JSONResponse({"learned": len(body["labels"])})


app = Starlette(
    routes=[
        Route("/v1/models/m:predict", predict, methods=["POST"]),
        Route("/v1/models/m:learn", learn, methods=["POST"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), http="httptools", log_level="error", access_log=False)
