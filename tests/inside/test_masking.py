"""Secrets are hidden by name, by shape and by value; innocent text stays readable."""

from __future__ import annotations

import base64
import html
import json
import os
import shlex
import string
import subprocess
import sys
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_secrets import SHAPES as FAKE_SHAPES
from fake_secrets import Fake, fakes, found_in
from outlive.inside.notes.masking import (
    MASK,
    SHORTEST_KNOWN,
    known_values,
    looks_secret,
    mask_and_cut,
    mask_text,
    secrets_of,
    split_arguments,
)

SECRET_NAMES = [
    "PASSWORD",
    "DB_PASSWORD",
    "db-password",
    "passwd",
    "--passphrase",
    "PGPASSWORD",
    "MYSQL_PWD",
    "SECRET",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SESSION_TOKEN",
    "TOKEN",
    "HF_TOKEN",
    "GITHUB_TOKEN",
    "WANDB_API_KEY",
    "OPENAI_API_KEY",
    "apikey",
    "--api-key",
    "--api_key",
    "private_key",
    "SSH_PRIVATE_KEY",
    "credentials",
    "GOOGLE_CREDENTIAL",
    "auth",
    "--auth",
    "authorization",
    "BEARER",
    "session_id",
    "cookie",
    "signature",
    "AZURE_STORAGE_SAS_TOKEN",
    "blob_sas",
    "KEY",
    "encryption-key",
    "SENTRY_DSN",
    "AZURE_STORAGE_CONNECTION_STRING",
    "connectionstring",
    "client_secret",
    "--token",
]

INNOCENT_NAMES = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "--epochs",
    "--batch-size",
    "--learning-rate",
    "--key-frames",
    "--keypoints",
    "--num-keys",
    "monkey",
    "--monkeys",
    "--passes",
    "author",
    "--authors",
    "AUTHOR_NAME",
    "--bypass-cache",
    "TF_CPP_MIN_LOG_LEVEL",
    "CUDA_VISIBLE_DEVICES",
    "keyboard",
    "SSH_AUTH_SOCK",
    "--sasquatch",
    "--passenger-model",
    "XAUTHORITY",
]


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_name_that_promises_a_secret_is_known(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", INNOCENT_NAMES)
def test_an_innocent_name_is_left_alone(name: str) -> None:
    assert not looks_secret(name)


VALUE = "s3cr3t-Value-42"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--password", VALUE], ["--password", MASK]),
        ([f"--password={VALUE}"], [f"--password={MASK}"]),
        (["--api-key", VALUE, "--epochs", "3"], ["--api-key", MASK, "--epochs", "3"]),
        ([f"DB_PASSWORD={VALUE}", "train.py"], [f"DB_PASSWORD={MASK}", "train.py"]),
        (["-H", f"Authorization: Bearer {VALUE}"], ["-H", f"Authorization:{MASK}"]),
        (["-H", f"X-Api-Key: {VALUE}"], ["-H", f"X-Api-Key:{MASK}"]),
        ([f"--model.hub_token={VALUE}"], [f"--model.hub_token={MASK}"]),
        (["--token", f"-{VALUE}"], ["--token", MASK]),
    ],
)
def test_a_secret_argument_is_taken_out_and_remembered(
    arguments: list[str], shown: list[str]
) -> None:
    told, secrets = split_arguments(arguments)

    assert shown == told
    assert any(VALUE in secret for secret in secrets)


@pytest.mark.parametrize(
    "arguments",
    [
        ["train.py", "--epochs", "3", "--lr", "1e-3"],
        ["python", "-m", "pkg.module", "--key-frames", "24"],
        ["run.py", "model.keras", "data/2024-01-01:12:00.csv"],
        ["--shape=224,224,3", "dtype:float32"],
        ["--password", "--verbose"],
        ["bash", "-c", "python train.py; echo done"],
        ["/home/u/.git/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4904"],
        [],
    ],
)
def test_innocent_arguments_stay_as_they_are(arguments: list[str]) -> None:
    assert (arguments, []) == split_arguments(arguments)


SHAPES = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
    "glpat-abcdefghij0123456789",
    "xoxb-123456789012-abcdefghijkl",
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "sk_live_abcdefghijklmnopqrstuvwx",
    "sk-" + "ant-api03-abcdefghijklmnopqrstuvwx",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "hf_abcdefghijklmnopqrstuvwxyzABCD",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEow\ncut off",
]


@pytest.mark.parametrize("secret", SHAPES)
@pytest.mark.parametrize("around", ["{}", "cannot use {} here", "('{}',)", "x={}", "f({})\n"])
def test_a_secret_is_known_by_its_shape_wherever_it_stands(secret: str, around: str) -> None:
    masked = mask_text(around.format(secret))

    assert secret not in masked
    assert MASK in masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://user:hunter2@db:5432/x", f"postgresql://{MASK}@db:5432/x"),
        ("https://u:p%40ss@host/path?a=1", f"https://{MASK}@host/path?a=1"),
        ("redis://:hunter2@cache:6379/0", f"redis://{MASK}@cache:6379/0"),
        ("s3://b/k?X-Amz-Signature=abc&a=1", f"s3://b/k?X-Amz-Signature={MASK}&a=1"),
        ("https://h/x?sig=abc%2B&se=2", f"https://h/x?sig={MASK}&se=2"),
        ("https://h/x?a=1&access_token=abc#t", f"https://h/x?a=1&access_token={MASK}#t"),
        ("Authorization: Bearer abc.def", f"Authorization: {MASK}"),
        ("proxy-authorization: Basic YWJj more", f"proxy-authorization: {MASK} more"),
    ],
)  # fmt: skip
def test_a_secret_in_an_address_or_a_header_is_hidden(text: str, masked: str) -> None:
    assert masked == mask_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "connect failed: host=db user=me password=hunter2x dbname=x",
        "Settings(api_key='hunter2x', retries=3)",
        'bad config {"db_password": "hunter2x", "port": 5432}',
        "{'secret_key': 'hunter2x'}",
        "--token=hunter2x was refused",
        "MYSQL_PWD=hunter2x python train.py",
        "pwd=hunter2x;server=db",
        "client_secret = 'hunter2x'",
        "{'Authorization': 'Bearer hunter2x', 'Accept': '*/*'}",
        "KeyError: 'password=hunter2x'",
        "KeyError: \"no such user: {'password': 'hunter2x'}\"",
        "MissingKeyError: password=hunter2x",
        "tokenizer = 'password: hunter2x'",
        "keys = ['password=hunter2x', 'b']",
        "('key', 'password=hunter2x')",
        "the key: https://db/?password=hunter2x",
        "<password>hunter2x</password>",
        '<db:Password type="clear">hunter2x</db:Password>',
        "db:\n  password: |\n    hunter2x\n  port: 5432",
        "password: >-\n  hunter2x",
        "credentials:\n  db:\n    token: plain\n    password: |\n      hunter2x\n",
        "secret:\n  hunter2x",
        "machine example.org login me password hunter2x",
        "['mysql', '-uroot', '-phunter2x', 'db'] returned non-zero exit status 1.",
        "mysqldump -h db -phunter2x prod",
        "['sshpass', '-p', 'hunter2x', 'ssh', 'host']",
        "docker login -u me -p hunter2x registry.example.org",
        "redis-cli -h cache -a hunter2x ping",
        "login failed: the password is hunter2xW9kL",
        "config = {'password': {'value': 'hunter2x'}}",
    ],
)
def test_a_secret_in_a_message_is_known_by_the_name_before_it(text: str) -> None:
    masked = mask_text(text)

    assert "hunter2x" not in masked
    assert MASK in masked


INNOCENT_TEXTS = [
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/images/cat_001.jpg'",
    "Unable to allocate 7.28 TiB for an array with shape (1000000, 1000000) and data type float64",
    "OOM when allocating tensor with shape[64,224,224,3] and type float on /job:localhost",
    "KeyError: 'label'",
    "KeyError: 'token'",
    "Unexpected token: } at line 3",
    "max_tokens=512, num_keys=8, key=3",
    "tokens: 1024",
    "sorted(rows, key=len)",
    "max(parts, key=lambda part: part.size)",
    "/repo/.git/objects/4b825dc642cb6eb9a060e54bf8d69288fbee4904: bad object",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb822cd15d6c15b0f00a08",
    "2026-01-01T12:00:00.123456+00:00 step 100 loss=0.6931 acc=0.5",
    "https://example.com/path/to/model.tar.gz?version=3&download=1",
    "File \"/usr/lib/python3.11/site-packages/keras/src/layers/core/dense.py\", line 143, in call",
    "expected axis -1 of input shape to have value 784 but received (None, 28, 28)",
    "token_embedding/kernel: shape mismatch (768, 3072) vs (768, 768)",
    "passed: 3, failed: 0",
    "bypass=True author=me@example.com",
    "monkey=banana",
    "task-training-of-the-detector on disk-usage-of-everything",
    "https://example.com/risk-assessment-of-everything",
    "token=None, password=None, tokens=3.5",
    "AttributeError: 'Tokenizer' object has no attribute 'encode'",
    "--key-frames=24",
]  # fmt: skip


@pytest.mark.parametrize("text", INNOCENT_TEXTS)
def test_an_innocent_text_stays_as_it_is(text: str) -> None:
    assert text == mask_text(text)


def test_the_values_of_secret_variables_are_known_and_short_ones_are_not() -> None:
    environment = {
        "DB_PASSWORD": "correct horse",
        "API_TOKEN": "x" * SHORTEST_KNOWN,
        "PIN_SECRET": "x" * (SHORTEST_KNOWN - 1),
        "HOME": "/home/somebody",
        "TOKENIZERS_PARALLELISM": "false",
    }

    assert ["correct horse", "x" * SHORTEST_KNOWN] == secrets_of(environment)


def test_a_path_that_exists_is_no_secret(tmp_path: Path) -> None:
    environment = {"PWD": str(tmp_path), "DB_PWD": "/hunter22", "GOOGLE_CREDENTIALS": str(tmp_path)}

    assert ["/hunter22"] == secrets_of(environment)


def test_a_known_value_is_hidden_wherever_it_stands() -> None:
    known = known_values(["hunter2-long", "hunter2", "hunter2"])

    assert ["hunter2-long", "hunter2"] == known
    assert f"a {MASK} b/{MASK}/c" == mask_text("a hunter2-long b/hunter2/c", known)


#: What programs of all kinds say beside such names, and is no secret.
PLAIN_TEXTS = [
    'lr=0.001, batch_size=32, optimizer=adam, key=value, seed=42',
    'monkey = 3',
    "monkey='banana'",
    'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")',
    "keys=['image', 'label', 'height']",
    "dict_keys(['loss', 'val_loss'])",
    "sorted(rows, key=lambda row: row['time'])",
    'max(parts, key=len)',
    'key=operator.itemgetter(1)',
    'sha256(images/cat_001.jpg) = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bb822cd15d6c15b0f00a0',
    'commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    'git checkout 183e9da3eee223f3567edacfbb969271911aa00b',
    'shape=(32, 224, 224, 3), dtype=float32',
    'https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz',
    'https://github.com/tensorflow/tensorflow/issues/62075#issuecomment-1757339823',
    'http://localhost:8888/lab/tree/token_classification.ipynb',
    'ssh://git@github.com/org/repo.git',
    'https://user@example.org/x',
    'https://medium.com:443/@user/post',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'max_tokens=512',
    'max_new_tokens=256, num_tokens=3',
    'pad_token=\'[PAD]\', eos_token="</s>", unk_token=\'<unk>\'',
    'pad_token_id=0, eos_token_id=2',
    'token_type_ids: 0',
    "tokens: ['the', 'cat']",
    "KeyError: 'x'",
    "KeyError: 'label'",
    "KeyError: 'password'",
    "missing key: 'label'",
    "Unknown key: 'block1_conv2'",
    "key='resnet50'",
    'key="conv2d_1/kernel:0"',
    "sort_key='val_accuracy'",
    'cache_key = "train"',
    'partition_key: user',
    'jax.random.PRNGKey(0)',
    'key, subkey = jax.random.split(key)',
    'rng_key = jax.random.key(42)',
    "signature='serving_default'",
    'signature: (x: tf.Tensor) -> tf.Tensor',
    'Unexpected token: } at line 3',
    "unexpected token: 'the'",
    "Invalid token: expected ','",
    'def login(user: str, password: str) -> bool:',
    'def f(token: Optional[str] = None, api_key: str | None = None):',
    'password = getpass.getpass()',
    'password = os.environ["DB_PASSWORD"]',
    'token = tokens[i]',
    'token = next(iterator)',
    'client = Client(api_key=api_key, token=self.token)',
    'connect(password=password)',
    'connect(password=args.password, token=config.token)',
    'f"password={password}"',
    'print("the token is %s" % token)',
    'usage: train.py [--token TOKEN] [--password PASSWORD]',
    '  --token TOKEN  the token to use',
    'wrong password: authentication failed for user',
    'Permission denied: check your password',
    'secret: None',
    'auth=None',
    'authentication failed',
    'Authentication error: 401',
    'author: someone',
    'authors = ["Someone Else"]',
    'Basic operations on tensors',
    'basic usage: train.py',
    'Bearer of bad news',
    'session_config = tf.ConfigProto()',
    'session.run(train_op)',
    'connection refused: 10.0.0.1:5432',
    'conn = sqlite3.connect("x.db")',
    'passed: 3, failed: 0',
    'first_pass = 1',
    'n_pass=3',
    "compass = 'north'",
    "bypass='yes'",
    'OOM when allocating tensor with shape[64,224,224,3] and type float on /job:localhost/replica:0/task:0/device:GPU:0',
    '/usr/lib/python3.11/site-packages/keras/src/backend/tensorflow/trainer.py',
    '/home/User1/Projects/ImageNet/Checkpoints/Best1',
    'model.layers.12.self_attn.key_proj.weight: shape (768, 768)',
    'key_padding_mask = None',
    'multi_head_attention/key/kernel:0',
    'attention_key_dim=64, key_dim=64, num_keys=8',
    'query, key, value = self.qkv(x)',
    '{"key": "value", "keys": ["a", "b"]}',
    '--key-frames=24',
    '--sort-key accuracy',
    '--keypoints 17',
    'task-training-of-the-detector',
    'sk-learn-intelex-wrappers-of-everything',
    'hf_transformers_cache and hf_hub_download',
    'AccountName=me',
    'Traceback (most recent call last):',
    'tf.Tensor([[1. 2.]], shape=(1, 2), dtype=float32)',
    "OrderedDict([('conv1.weight', 3), ('fc.bias', 4)])",
    "AttributeError: 'Tokenizer' object has no attribute 'encode'",
    'ResourceExhaustedError: {{function_node __wrapped__Mul_device_/job:localhost/replica:0/task:0/device:CPU:0}}',
    '0x7f53ef63ad70 in PyEval_EvalFrameDefault',
    '_ZN10tensorflow15OpKernelContext17CtxFailureWithWarningEPKciRKN4absl12lts_202308026StatusE',
    'libtensorflow_framework.so.2: undefined symbol: _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE',
    'assert self.token is not None',
    "if token == 'the':",
    'if key == "label":',
    'for key in ("loss", "accuracy"):',
    'row["key"] = 3',
    'raise KeyError(key)',
    'data["token"]',
    'os.environ.get("HF_TOKEN")',
    "token_path = '/home/me/.cache/token'",
    'key_file: /etc/ssl/private.key',
    'pwd=/home/me/project',
    'PWD=/home/me/project',
    'private key not found',
    '-----BEGIN PRIVATE KEY----- not found in file',
    'password must not be empty',
    '"password", "username", "email"',
    'the token is invalid',
    'the secret is that nobody knows',
    'API key was not found in the environment',
    '<key>CFBundleName</key>',
    '<token>the</token>',
    '<keyboard>us</keyboard>',
    'keys:\n  - loss\n  - accuracy\n',
    'mysql -P 3306 -h db prod',
    'a login page says what the password means',
    'docker login failed - try again',
    'costs $2 or $6 for each of them',
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_what_only_looks_like_it_stays_readable(text: str) -> None:
    assert text == mask_text(text)


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from texts_in([*value.keys(), *value.values()])
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


ROOT = Path(__file__).parents[2]


def test_no_real_complaint_and_no_page_of_the_manual_is_changed() -> None:
    texts = list(texts_in(json.loads((ROOT / "tests" / "complaints.json").read_text())))
    pages = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".json", ".txt")]
    texts += [line for path in pages for line in path.read_text().splitlines()]

    assert len(texts) > 5000
    assert [] == [text for text in texts if text != mask_text(text)]


CONTEXTS = ["{}", "cannot use {} here", "'{}'", "f('{}')", "first\n{}\nlast", "({})", "x = '{}'"]


@pytest.mark.parametrize("shape", FAKE_SHAPES)
def test_every_shape_is_hidden_whatever_surrounds_it(shape: str) -> None:
    for seed in range(5):
        (fake,) = fakes(seed, [shape])
        texts = [around.replace("{}", fake.text) for around in CONTEXTS]
        for text in [*texts, repr(f"it {fake.text}"), json.dumps({"it": fake.text})]:
            assert [] == found_in(mask_text(text), [fake]), text


#: A value with everything that languages write otherwise.
ODD = "p4'ss\"wo<rd&\\x/y z+é"


@pytest.mark.parametrize(
    "write",
    [
        str,
        repr,
        ascii,
        lambda value: repr([value, "it's"]),
        json.dumps,
        lambda value: json.dumps(json.dumps(value)),
        urllib.parse.quote,
        urllib.parse.quote_plus,
        lambda value: urllib.parse.quote(value, safe=""),
        html.escape,
        shlex.quote,
        lambda value: repr(value.encode()),
        lambda value: value.encode().hex(),
        lambda value: value.encode().hex().upper(),
        *(lambda value, user=user: base64.b64encode(f"{user}:{value}".encode()).decode() for user in ("a", "me", "you", "root")),
        lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    ],
)  # fmt: skip
def test_a_known_value_is_hidden_in_every_form(write: Callable[[str], str]) -> None:
    written = write(ODD)

    masked = mask_text(f"it was {written}!", [ODD])

    assert MASK in masked
    assert not [at for at in range(len(written) - 11) if written[at : at + 12] in masked]


@pytest.mark.parametrize("before", [0, 100, 2990, 5000, 7000, 40_000, 200_000])
@pytest.mark.parametrize("after", [0, 100, 2990, 5000, 7000, 40_000, 200_000])
def test_what_is_cut_is_masked_before(before: int, after: int) -> None:
    (key, token, known) = (
        *fakes(3, ["pem-rsa", "github-pat"]),
        Fake("known", VALUE * 4, VALUE * 4),
    )
    text = f"{'x ' * (before // 2)}{key.text} {token.text} {known.text}{' x' * (after // 2)}"

    cut = mask_and_cut(text, 6000, [known.secret])

    assert len(cut) <= 6003
    assert [] == found_in(cut, [key, token, known])


def test_lines_of_a_source_keep_their_numbers() -> None:
    (key,) = fakes(3, ["pem-rsa"])
    text = f'first\nKEY = """{key.text}"""\nlast'

    masked = mask_text(text, keep_lines=True)

    assert text.count("\n") == masked.count("\n")
    assert [] == found_in(masked, [key])
    assert "last" == masked.split("\n")[-1]


letters = st.text(string.ascii_letters + string.digits + " _-./:@=&?'\"\\$%é🔑\n", max_size=30)
secret_values = st.text(
    string.ascii_letters + string.digits + " _-./:@=&?'\"\\$%é🔑\n",
    min_size=SHORTEST_KNOWN,
    max_size=20,
)


@given(st.lists(secret_values, min_size=1, max_size=4), st.lists(letters, min_size=5, max_size=5))
def test_masked_text_never_holds_a_known_secret(secrets: list[str], parts: list[str]) -> None:
    known = known_values(secrets)
    text = "".join(
        part + secret for part, secret in zip(parts, [*secrets, *secrets][:5], strict=False)
    )

    masked = mask_text(text, known)

    assert not [secret for secret in known if secret in masked]


@given(
    st.lists(letters, max_size=6),
    secret_values,
    st.sampled_from(["--password", "--api-key", "-token"]),
)
def test_a_secret_argument_never_comes_back_in_what_is_shown(
    others: list[str], secret: str, option: str
) -> None:
    value = "x" + secret
    _, secrets = split_arguments([*others, option, value])

    assert value in secrets or value.startswith("--")


@given(st.text(max_size=200))
def test_any_text_can_be_masked_and_masking_again_changes_nothing_more(text: str) -> None:
    once = mask_text(text)

    assert once == mask_text(once)


@given(st.lists(st.text(max_size=20), max_size=6))
def test_any_arguments_can_be_split_and_none_is_lost(arguments: list[str]) -> None:
    shown, _ = split_arguments(arguments)

    assert len(arguments) == len(shown)


UNITS = (
    "a|-|=|eyJ|eyJa-|://|a.|a:|token|password=|'|&key|?key|sk-|cookie |-----BEGIN A PRIVATE KEY-----|-----END A PRIVATE KEY-----"
    "|a://b:c/|a://b:|a://a@|password='|password=(|password=('|password: |auth=['a',|key:|-u a:|--token |Basic |key=a,|password=a)"
    "|password: str |tokenkey|pass-|x-api-key:|AAAAAAAAAAAAAAAA |aB1/|SG.|SG.aaaaaaaaaaaaaaaa|eyJaaaaaaaa.|wandb login|MTAa."
)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", UNITS.split("|"))
def test_a_long_text_is_masked_in_time_that_grows_with_its_length(unit: str) -> None:
    assert mask_text("&" + unit * (200_000 // len(unit)))


@pytest.mark.parametrize("where", ["argument", "variable", "file"])
def test_a_secret_of_a_real_run_is_nowhere_in_its_record(outlive: object, where: str) -> None:
    secret = "correct-horse-battery"
    script = outlive.script(  # type: ignore[attr-defined]
        "login.py",
        "import os, sys\n"
        "word = os.environ.get('DB_PASSWORD') or sys.argv[-1]\n"
        "print('login with', word, file=sys.stderr)\n"
        "raise ValueError(f'wrong password {word}')\n",
    )
    words = ["--password", secret] if where != "variable" else []
    variables = {"DB_PASSWORD": secret} if where != "argument" else {}
    command = [sys.executable, "-m", "outlive", "run", str(script), *words]
    errors = outlive.folder / "stderr"  # type: ignore[attr-defined]

    with open(errors, "wb") as stderr:
        environment = outlive.environment | variables  # type: ignore[attr-defined]
        subprocess.run(command, env=environment, stderr=stderr, timeout=60, check=False)

    (run,) = outlive.runs  # type: ignore[attr-defined]
    assert secret.encode() in errors.read_bytes(), "the program's own words are not changed"
    for folder, _, names in os.walk(run):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                assert secret.encode() not in file.read(), name
