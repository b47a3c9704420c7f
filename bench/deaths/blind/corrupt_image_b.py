"""A download saved an error page under the name of a picture; a Keras generator loads it."""
# expect: corrupt-image

import pathlib

import keras
import numpy as np

root = pathlib.Path("thumbs")
root.mkdir(exist_ok=True)
for i in range(5):
    keras.utils.save_img(root / f"{i:03}.png", np.full((24, 24, 3), i * 20))
(root / "003.png").write_text("<html><body>503 Service Unavailable</body></html>")


class Thumbs(keras.utils.PyDataset):
    def __init__(self, paths):
        super().__init__()
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        image = keras.utils.load_img(self.paths[i], target_size=(24, 24))  # <- here
        x = keras.utils.img_to_array(image)[None] / 255.0
        return x, np.ones((1, 1))


model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(Thumbs(sorted(root.glob("*.png"))), epochs=1, verbose=0, shuffle=False)  # <- here
