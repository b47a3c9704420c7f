"""The words in which libraries complain about data: pictures, records, weights, files that are not there.

Taken from the messages of TensorFlow 2.21, Keras 3, NumPy 2, Pillow and h5py as they were seen to fail, and for older releases, OpenCV
and pandas from their sources. A row keys on what a library says, never on what a program might be called. Order matters: the first row that fits decides.
"""

from __future__ import annotations

import re

from outlive.units.complaints.wording import says

IMAGE, RECORD, WEIGHTS = "corrupt-image", "corrupt-record", "corrupt-weights"
MISSING, SCHEMA, BOMB = "missing-file", "record-schema-mismatch", "decompression-bomb"

INVALID = ("InvalidArgumentError", "InternalError", "UnknownError", "ValueError")

#: A name in quotes: ``'a b.jpg'``, ``b'/data/x'``.
QUOTED = r"b?(?P<q>['\"])(?P<path>[^'\"\n]+)(?P=q)"

BOMBS = (
    says(
        BOMB,
        r"Image size \((?P<first>\d+) pixels\) exceeds limit of (?P<second>\d+) pixels",
        "DecompressionBombError",
        "DecompressionBombWarning",
    ),
    says(BOMB, r"PNG size too large for int: (?P<first>\d+ by \d+)", *INVALID),
    says(
        BOMB, r"\b\w+ (image )?(is )?too large: [^\n\[]*", "InvalidArgumentError", "InternalError"
    ),
    says(BOMB, r"Decompressed data too large for PngImagePlugin[^\n]*", "ValueError"),
    says(BOMB, r"^[^\n]{0,8000}CV_IO_MAX_IMAGE_PIXELS[^\n]*", "error", flags=re.MULTILINE),
)

IMAGES = (
    says(IMAGE, r"Invalid PNG (data|header)[^\n\[]*?size:? (?P<size>\d+)", *INVALID),
    says(IMAGE, r"Invalid JPEG data or crop window(, data size (?P<size>\d+))?", *INVALID),
    says(IMAGE, r"Invalid GIF data( \(size (?P<size>\d+)\))?[^\n\[]*", *INVALID),
    says(IMAGE, r"Invalid (PNG|JPEG|BMP|WebP)\b[^\n\[]*", *INVALID),
    says(IMAGE, r"Failed to decode \w+ image\.?", *INVALID),
    says(IMAGE, r"Input is empty\.", "InvalidArgumentError"),
    says(IMAGE, r"Unknown image file format[^\n\[]*", *INVALID),
    says(IMAGE, r"Expected image \(JPEG, PNG, or GIF\), got [^\n\[]*", *INVALID),
    says(
        IMAGE,
        r"Input size should match \(header_size \+ row_size \* abs_height\)[^\n\[]*",
        "InvalidArgumentError",
    ),
    says(IMAGE, r"(Incomplete|Invalid) (bmp|BMP) content[^\n\[]*", "InvalidArgumentError"),
    says(IMAGE, r"Trying to decode \w+ format using [^\n\[]*", *INVALID, variant="wrong decoder"),
    says(IMAGE, rf"cannot identify image file ({QUOTED})?"),
    says(IMAGE, r"image file is truncated[^\n]*", "OSError"),
    says(IMAGE, r"broken data stream when reading image file", "OSError"),
    says(IMAGE, r"broken PNG file[^\n]*", "SyntaxError"),
    says(IMAGE, r"unrecognized data stream contents when reading image file", "OSError"),
    says(IMAGE, r"Truncated File Read", "OSError"),
    says(IMAGE, r"could not create decoder object", "OSError", inside="/PIL/"),
    says(IMAGE, r"decoder error -?\d+ when reading image file|cannot decode image data", "OSError"),
    says(IMAGE, r"not enough image data", "ValueError", inside="/PIL/"),
)

WEIGHT_FILES = (
    says(WEIGHTS, r"not an sstable \([^\n)]*\)"),
    says(
        WEIGHTS,
        r"TensorBundle at (?P<path>\S+) shard[^\n]*?Checksum does not match",
        "DataLossError",
    ),
    says(WEIGHTS, r"Unable to open table file (?P<path>[^\s:]+)[^\n]*", "DataLossError"),
    says(WEIGHTS, r"Checksum does not match[^\n]*", "DataLossError", inside="/checkpoint/"),
    says(WEIGHTS, r"Read less bytes than requested", inside="checkpoint"),
    says(WEIGHTS, rf"Cannot parse file {QUOTED}", "OSError", inside="/saved_model/"),
    says(WEIGHTS, r"Model provided has model identifier '[^\n]*?', should be 'TFL3'"),
    says(WEIGHTS, r"No subgraph in the model\.|The model is not a valid Flatbuffer[^\n]*"),
    says(
        WEIGHTS,
        r"filepath=(?P<path>[^\n]+?)\. Please ensure the file is an accessible `\.keras` zip file",
        "ValueError",
        variant="zip",
    ),
    says(
        WEIGHTS,
        r"Unable to (synchronously )?open file \((truncated file|file signature not found|bad )[^\n]*",
        "OSError",
        inside="/keras/",
    ),
    says(WEIGHTS, r"Can't (synchronously )?read data[^\n]*", "OSError", inside="/keras/"),
    says(WEIGHTS, r"[^\n]*", "BadZipFile", "UnpicklingError", inside="/keras/"),
    says(WEIGHTS, r"[^\n]*", "BadZipFile", inside="/saving/"),
    says(WEIGHTS, r"Error parsing message[^\n]*", "DecodeError", inside="/saved_model/"),
)

SCHEMAS = (
    says(
        SCHEMA,
        r"Feature: (?P<name>[^\n]+?) \(data type: (?P<second>\w+)\) is required but could not be found",
        "InvalidArgumentError",
        variant="missing",
    ),
    says(
        SCHEMA,
        r"Key: (?P<name>[^\n]+?)(, Index: \d+)?\.\s+Data types don't match\. "
        r"(Data|Got) type: (?P<first>\w+) but expected type: (?P<second>\w+)",
        "InvalidArgumentError",
        variant="type",
    ),
    says(
        SCHEMA,
        r"Key: (?P<name>[^\n]+?)(, Index: \d+)?\.\s+Number of \w+ values != expected\.\s+"
        r"Values size: (?P<first>\d+) but output shape: (?P<second>\[[\d,]*\])",
        "InvalidArgumentError",
        variant="number",
    ),
    says(
        SCHEMA,
        r"Key: (?P<name>[^\n]+?)(, Index: \d+)?\.\s+Can't parse serialized Example[^\n\[]*",
        "InvalidArgumentError",
        variant="number",
    ),
    says(SCHEMA, r"Could not parse example input", "InvalidArgumentError", variant="no example"),
    says(
        SCHEMA,
        r"Expect (?P<second>\d+) fields but have (?P<first>\d+)( more)? in record( \d+)?",
        "InvalidArgumentError",
        variant="fields",
    ),
    says(
        SCHEMA,
        r"CSV row (?P<name>\d+) has (?P<first>\d+) number of fields\. Expected: (?P<second>\d+)",
        "ValueError",
        variant="fields",
    ),
    says(
        SCHEMA,
        r"Field (?P<name>\d+) in record( \d+)? is not a valid (?P<second>\w+): (?P<first>[^\n\[]*)",
        "InvalidArgumentError",
        variant="field",
    ),
    says(
        SCHEMA,
        r"Field (?P<name>\d+) is required but missing in record[^\n\[]*",
        "InvalidArgumentError",
        variant="field",
    ),
    says(
        SCHEMA,
        r"the number of columns changed from (?P<second>\d+) to (?P<first>\d+) at row (?P<name>\d+)",
        "ValueError",
        variant="fields",
    ),
    says(
        SCHEMA,
        r"Some errors were detected !\s+Line #(?P<name>\d+) "
        r"\(got (?P<first>\d+) columns instead of (?P<second>\d+)\)",
        "ValueError",
        variant="fields",
    ),
    says(
        SCHEMA,
        r"could not convert string (?P<first>[^\n]+) to (?P<second>\w+) at row (?P<name>\d+)[^\n]*",
        "ValueError",
        variant="field",
    ),
    says(
        SCHEMA,
        r"Expected (?P<second>\d+) fields in line (?P<name>\d+), saw (?P<first>\d+)",
        "ParserError",
        "ValueError",
        variant="fields",
    ),
    says(
        SCHEMA,
        r"Input to DecodeRaw has length (?P<first>\d+) that is not a multiple of (?P<second>\d+)[^\n\[]*",
        "InvalidArgumentError",
        variant="raw",
    ),
    says(
        SCHEMA,
        r"Usecols do not match columns, columns expected but not found: (?P<name>[^\n]*)",
        "ValueError",
        variant="column",
    ),
    says(
        SCHEMA, r"['\"]?(?P<name>[^\n'\"]+)", "KeyError", inside="/pandas/core/", variant="column"
    ),
    says(
        SCHEMA,
        r"(?<![^\n'\"])(?P<name>[^\n'\"]+) is not a file in the archive",
        "KeyError",
        variant="column",
    ),
    says(
        SCHEMA,
        r"Unable to (synchronously )?open object \(object '(?P<name>[^']+)' doesn't exist\)",
        "KeyError",
        variant="column",
    ),
)

RECORDS = (
    says(
        RECORD,
        r"(corrupted|truncated) record at (?P<offset>\d+)[^\n\[]*",
        "DataLossError",
        "OutOfRangeError",
        variant="tfrecord",
    ),
    says(RECORD, r"inflate\(\) failed with error[^\n\[]*", variant="compressed"),
    says(RECORD, r"Not a gzipped file[^\n]*", "BadGzipFile", "OSError", variant="compressed"),
    says(
        RECORD,
        r"Compressed file ended before the end-of-stream marker was reached",
        "EOFError",
        variant="compressed",
    ),
    says(
        RECORD,
        r"unexpected end of data|file could not be opened successfully[^\n]*|not a gzip file",
        "ReadError",
        variant="compressed",
    ),
    says(RECORD, r"Error -\d+ while decompressing data[^\n]*", "error", variant="compressed"),
    says(RECORD, r"CRC check failed[^\n]*", "BadGzipFile", "OSError", variant="compressed"),
    says(RECORD, r"Error parsing message[^\n]*", "DecodeError", variant="message"),
    says(
        RECORD,
        r"(File is not a zip file|Bad (magic number|CRC-32)[^\n]*|Truncated file header)",
        "BadZipFile",
        variant="array",
    ),
    says(
        RECORD,
        r"(Failed to read all data for array|EOF: reading array (header|data)|No data left in file"
        r"|mmap length is greater than file size|the magic string is not correct)[^\n]*",
        variant="array",
    ),
    says(
        RECORD,
        r"(Cannot load file containing pickled data when allow_pickle=False"
        r"|This file contains pickled \(object\) data)[^\n]*",
        "ValueError",
        inside="/numpy/",
        variant="array",
    ),
    says(RECORD, r"cannot reshape array[^\n]*", "ValueError", inside="format.py", variant="array"),
    says(
        RECORD,
        r"(pickle data was truncated|invalid load key|unpickling stack underflow"
        r"|Memo value not found|could not find MARK)[^\n]*",
        "UnpicklingError",
        variant="pickle",
    ),
    says(RECORD, r"Ran out of input", "EOFError", variant="pickle"),
    says(
        RECORD,
        r"Unable to (synchronously )?open file \((truncated file|file signature not found)[^\n]*",
        "OSError",
        variant="array",
    ),
    says(
        RECORD,
        r"^[^\n]{0,8000}: line \d+ column \d+ \(char (?P<offset>\d+)\)",
        "JSONDecodeError",
        inside="/json/__init__.py:load:",
        variant="json",
        flags=re.MULTILINE,
    ),
    says(RECORD, r"Can't (synchronously )?read data \([^\n]*", "OSError", variant="array"),
)

ABSENT = (
    says(
        MISSING,
        r"No files? match(ed)? (pattern: |`file_pattern` )(?P<path>[^'\"\n]+?)\.?(['\"]|$|\n)",
        variant="pattern",
    ),
    says(
        MISSING,
        r"No (images|files|valid \w+) found in directory (?P<path>[^\n]+?)(\. Allowed|$|\n)",
        "ValueError",
        variant="empty",
    ),
    says(
        MISSING,
        r"Failed to find any matching files for (?P<path>\S+)",
        "NotFoundError",
        "FileNotFoundError",
        "RuntimeError",
    ),
    says(MISSING, r"SavedModel file does not exist at: (?P<path>[^\n{]+?)/?\{", "OSError"),
    says(
        MISSING, r"No (file or|such) directory found at (?P<path>[^\n]+)", "OSError", "ValueError"
    ),
    says(MISSING, rf"Could not open {QUOTED}", "ValueError", inside="/lite/"),
    says(
        MISSING,
        r"unable to open file: name = '(?P<path>[^']+)', errno = 2\b",
        "FileNotFoundError",
        "OSError",
    ),
    says(MISSING, r"Could not find directory (?P<path>\S+)", "NotFoundError"),
    says(
        MISSING,
        r"(?:\}\} |: |^|\n)(?P<path>(?:(?!: )[^\n;{}])+); No such file or directory",
        "NotFoundError",
    ),
    says(
        MISSING,
        rf"No such file or directory: {QUOTED}",
        "FileNotFoundError",
        inside="/subprocess.py:_execute_child:",
        variant="program",
    ),
    says(
        MISSING,
        r"File format not supported: filepath=(?P<path>[^\n]+?)\. Keras 3 only supports",
        "ValueError",
        variant="if absent",
    ),
    says(
        MISSING,
        rf"\[Errno (2|20)\][^\n]*?: {QUOTED}",
        "FileNotFoundError",
        "NotADirectoryError",
    ),
    says(MISSING, r"(?<!\S)(?P<path>\S+) not found\.?$", "FileNotFoundError"),
    says(MISSING, r"[^\n]*", "FileNotFoundError"),
)

DATA = (*BOMBS, *IMAGES, *WEIGHT_FILES, *SCHEMAS, *RECORDS, *ABSENT)
