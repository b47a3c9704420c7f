"""What to write instead of calls that are known to take much memory, by the words of the line. Pure."""

from __future__ import annotations

from outlive.model.patterns import bounded

#: A call, and what to do about it. The first that stands on the line decides.
ADVICE = (
    (bounded(r"\bnp\.load\(|\bnumpy\.load\("), "Read the array from its file as it is used: np.load(…, mmap_mode=\"r\"); only the parts that are touched take memory."),
    (bounded(r"\.backward\(\)|\bloss\b.{0,40}\+=|\+=\s{0,8}loss\b"), "Add numbers, not tensors: total += loss.item() (PyTorch) or float(loss) (TensorFlow). A tensor keeps all that it was computed from."),
    (bounded(r"\.predict\(.{0,200}\bbatch_size\b"), "Ask the model about fewer examples at a time: predict(x, batch_size=8) where an example is a picture, 32 where it is a row; halve it until it fits."),
    (bounded(r"\.predict\("), "Predict in batches, and keep what is needed of each: for batch in dataset: model.predict_on_batch(batch)."),
    (bounded(r"\.fit\(.{0,200}\b(?:epochs|batch_size|validation_data|validation_split)\b"), "Give fit batches that are read as they are used (a tf.data.Dataset, or a keras.utils.PyDataset) instead of whole arrays, of which it makes a float32 copy; or reduce batch_size."),
    (bounded(r"\bOneHotEncoder\b|\.fit_transform\("), "Keep the result sparse (sparse_output=True), or transform one part after the other (partial_fit); copy=False saves the copy where the input may change."),
    (bounded(r"\bget_dummies\("), "Keep the columns sparse: pd.get_dummies(…, sparse=True, dtype=bool)."),
    (bounded(r"\.merge\("), "Check the keys before merging (validate=\"one_to_many\", df[key].duplicated().sum()): keys that occur many times on both sides multiply the rows. Keep only the columns you need."),
    (bounded(r"\bread_csv\(|\bread_parquet\(|\bread_json\("), "Read less: usecols=[…], dtype={…} with narrow types, or chunksize=100_000 and one chunk after the other."),
    (bounded(r"\b(?:pd|pandas)\.concat\("), "Keep only what you need of each part, or write the parts to disk as they come (to_parquet), and join them there."),
    (bounded(r"\bone_hot\(|\bto_categorical\("), "Keep class numbers instead of one-hot vectors: a sparse loss (sparse_categorical_crossentropy, sparse_softmax_cross_entropy_with_logits) takes them as they are."),
    (bounded(r"\bnp\.(?:zeros|ones|empty|full)\(|\bnumpy\.(?:zeros|ones|empty|full)\("), "Make it no larger than what is really in it: a sparse matrix (scipy.sparse), rows only for what occurs (np.unique(…, return_inverse=True)), a narrower dtype, or a file (np.memmap)."),
    (bounded(r"\.todense\(|\.toarray\("), "Keep the matrix sparse; if an estimator needs it dense, give it rows in parts."),
    (bounded(r"\bcdist\(|\bpairwise_distances\("), "Work in blocks of rows (sklearn.metrics.pairwise_distances_chunked) instead of all pairs at once."),
    (bounded(r"\[:, ?(?:None|\w{1,20}\.newaxis).{0,120}[-+*]"), "All pairs at once take n × m numbers for each coordinate: work in blocks of rows (for i in range(0, n, 1000): …)."),
    (bounded(r"\bimread\(|\bImage\.open\(|\bdecode_(?:jpeg|png|image)\("), "Decode at the size that is needed (Image.draft, tf.io.decode_jpeg(ratio=…), cv2.IMREAD_REDUCED_COLOR_4), and keep the small one."),
    (bounded(r"\bDense\(|\bEmbedding\("), "Use a smaller layer: a Dense after Flatten has inputs × units weights, three times that with Adam; GlobalAveragePooling2D before it leaves one input a channel."),
)  # fmt: skip


def advice_for(code: str) -> str:
    """Say what to write instead of the call on a line; nothing where none of these stands there."""
    return next((text for pattern, text in ADVICE if pattern.search(code)), "")
