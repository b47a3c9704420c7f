"""Shapes by which the secrets of well-known services are recognised wherever they stand.

Each shape has a few letters without which it cannot occur: looking for those is fast in any text, and the pattern is compiled when they
were found, which is nearly never. The shapes are those that the services document for their own secret scanning. Loaded inside
the watched program too: plain data, nothing is compiled here. Every repetition is of one set of characters, so that a text of any
length is searched in time that grows with its length.
"""

from __future__ import annotations

#: In front of a shape no letter and no digit: "task-…" is no "sk-…".
NOT_AFTER = r"(?<![A-Za-z0-9]"

#: Somewhere in the next characters is a digit, or a capital after a small letter: "sk-learn-intelex-wrappers" has none.
MIXED = r"(?=[\w-]{0,60}(?:\d|[a-z][A-Z]))"

SHAPES: tuple[tuple[str, str], ...] = (
    # Amazon, Alibaba, Tencent
    ("AKIA", r"AKIA[0-9A-Z]{12,}"),
    ("ASIA", r"ASIA[0-9A-Z]{12,}"),
    ("ABIA", r"ABIA[0-9A-Z]{16}"),
    ("ACCA", r"ACCA[0-9A-Z]{16}"),
    ("LTAI", r"LTAI[0-9A-Za-z]{12,24}"),
    ("AKID", r"AKID[0-9A-Za-z]{28,}"),
    # code: GitHub, GitLab, Bitbucket, Atlassian, Sourcegraph
    ("ghp_", r"ghp_[A-Za-z0-9]{20,}"),
    ("gho_", r"gho_[A-Za-z0-9]{20,}"),
    ("ghu_", r"ghu_[A-Za-z0-9]{20,}"),
    ("ghs_", r"ghs_[A-Za-z0-9]{20,}"),
    ("ghr_", r"ghr_[A-Za-z0-9]{20,}"),
    ("github_pat_", r"github_pat_\w{20,}"),
    ("glpat-", r"glpat-[\w.-]{15,}"),
    ("gldt-", r"gldt-[\w-]{15,}"),
    ("glrt-", r"glrt-[\w-]{15,}"),
    ("glcbt-", r"glcbt-[\w-]{15,}"),
    ("glptt-", r"glptt-[\w-]{15,}"),
    ("glft-", r"glft-[\w-]{15,}"),
    ("glsoat-", r"glsoat-[\w-]{15,}"),
    ("glagent-", r"glagent-[\w-]{15,}"),
    ("ATBB", r"ATBB[A-Za-z0-9]{24,}"),
    ("ATATT3", r"ATATT3[\w=-]{20,}"),
    ("ATCTT3", r"ATCTT3[\w=-]{20,}"),
    ("sgp_", r"sgp_[0-9a-fA-F_]{32,}"),
    # models: OpenAI, Anthropic and the many that write "sk-", Hugging Face, Replicate, Groq, xAI, Perplexity, LangSmith, W&B, Kaggle
    ("sk-", r"sk-(?:live|test|proj|ant|or|svcacct|admin)[-_][\w-]{12,}"),
    ("sk_", r"sk_(?:live|test|prod|proj)[-_][\w-]{12,}"),
    ("pk_", r"pk_(?:live|test|prod)[-_][\w-]{12,}"),
    ("rk_", r"rk_(?:live|test|prod)[-_][\w-]{12,}"),
    ("sk-", r"sk-" + MIXED + r"[\w-]{16,}"),
    ("sk_", r"sk_" + MIXED + r"[\w-]{16,}"),
    ("pk-", r"pk-" + MIXED + r"[\w-]{16,}"),
    ("hf_", r"hf_[A-Za-z0-9]{20,}"),
    ("api_org_", r"api_org_[A-Za-z0-9]{20,}"),
    ("r8_", r"r8_[A-Za-z0-9]{24,}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{24,}"),
    ("xai-", r"xai-[A-Za-z0-9]{24,}"),
    ("pplx-", r"pplx-[A-Za-z0-9]{24,}"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f_]{24,}"),
    ("wandb_v", r"wandb_v\d_\w{20,}"),
    ("KGAT_", r"KGAT_[0-9A-Za-z]{20,}"),
    # Google
    ("AIza", r"AIza[\w-]{30,}"),
    ("ya29.", r"ya29\.[\w.-]{15,}"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("1//0", r"1//0[\w-]{30,}"),
    # Azure
    ("8Q~", r"[\w~.]{3}8Q~[\w~.-]{28,}"),
    # chat: Slack, Discord, Telegram, Teams, Twilio
    ("xox", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}"),
    ("xapp-", r"xapp-[\w-]{15,}"),
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{8,}"),
    ("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[\w/-]{8,}"),
    ("webhook.office.com/", r"webhook\.office\.com/\S{8,}"),
    ("hooks.zapier.com/", r"hooks\.zapier\.com/hooks/\S{8,}"),
    (".make.com/", r"hook\.(?:[a-z]{2}\d\.)?make\.com/\w{16,}"),
    ("maker.ifttt.com/", r"maker\.ifttt\.com/(?:use/|trigger/\S{1,100}/)\S{8,}"),
    (":AA", r"(?<!\d)\d{6,12}:AA[\w-]{28,}"),
    ("/bot", r"(?<!/)/bot\d{6,12}:[\w-]+"),
    ("SK", r"SK[0-9a-f]{32}(?![0-9a-f])"),
    ("AC", r"AC[0-9a-f]{32}(?![0-9a-f])"),
    # packages: npm, PyPI, RubyGems, NuGet, Docker
    ("npm_", r"npm_[A-Za-z0-9]{20,}"),
    ("pypi-", r"pypi-[\w-]{20,}"),
    ("rubygems_", r"rubygems_[0-9a-f]{32,}"),
    ("dckr_pat_", r"dckr_pat_[\w-]{15,}"),
    ("dckr_oat_", r"dckr_oat_[\w-]{15,}"),
    # money: Stripe (above), Square, PayPal, Shopify
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{20,}"),
    ("sq0", r"sq0[a-z]{3}-[\w-]{20,}"),
    ("shpat_", r"shpat_[0-9a-fA-F]{24,}"),
    ("shpca_", r"shpca_[0-9a-fA-F]{24,}"),
    ("shppa_", r"shppa_[0-9a-fA-F]{24,}"),
    ("shpss_", r"shpss_[0-9a-fA-F]{24,}"),
    # mail: SendGrid, Mailgun, Mailchimp, Brevo
    ("SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    ("key-", r"key-[0-9a-f]{32}(?![0-9a-f])"),
    ("-us", r"[0-9a-f]{32}-us\d{1,2}"),
    ("xkeysib-", r"xkeysib-[\w-]{20,}"),
    # clouds and tools: Databricks, DigitalOcean, Vault, Terraform, Pulumi, Doppler, Heroku, Fly, Netlify, Supabase, PlanetScale
    ("dapi", r"dapi[0-9a-f]{28,}(?:-\d{1,2})?"),
    ("doo_v1_", r"doo_v1_[0-9a-f]{32,}"),
    ("dop_v1_", r"dop_v1_[0-9a-f]{32,}"),
    ("dor_v1_", r"dor_v1_[0-9a-f]{32,}"),
    ("hvs.", r"hvs\.[\w-]{15,}"),
    ("hvb.", r"hvb\.[\w-]{15,}"),
    ("hvr.", r"hvr\.[\w-]{15,}"),
    (".atlasv1.", r"[A-Za-z0-9]{8,20}\.atlasv1\.[\w=-]{20,}"),
    ("pul-", r"pul-[0-9a-f]{32,}"),
    ("dp.", r"dp\.[a-z]{2,5}\.[A-Za-z0-9.]{30,}"),
    ("HRKU-", r"HRKU-[\w-]{20,}"),
    ("FlyV1 ", r"FlyV1 [\w+/=,-]{20,}"),
    ("fo1_", r"fo1_[\w-]{30,}"),
    ("nfp_", r"nfp_[A-Za-z0-9]{30,}"),
    ("sbp_", r"sbp_[0-9a-f]{30,}"),
    ("sb_secret_", r"sb_secret_[\w-]{20,}"),
    ("pscale_", r"pscale_(?:tkn|oauth|pw)_[\w=.-]{20,}"),
    ("tskey-", r"tskey-[\w-]{16,}"),
    ("sntry", r"sntry[su]_[\w+/=-]{20,}"),
    ("glsa_", r"glsa_\w{20,}"),
    ("glc_", r"glc_[A-Za-z0-9+/=]{28,}"),
    ("NRAK-", r"NRAK-[A-Z0-9]{20,}"),
    ("dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{20,}"),
    ("PMAK-", r"PMAK-[0-9a-f-]{40,}"),
    ("lin_api_", r"lin_api_[A-Za-z0-9]{20,}"),
    ("lin_oauth_", r"lin_oauth_[A-Za-z0-9]{20,}"),
    ("ntn_", r"ntn_[A-Za-z0-9]{30,}"),
    ("secret_", r"secret_" + MIXED + r"[A-Za-z0-9]{32,}"),
    ("figd_", r"figd_[\w-]{24,}"),
    ("pat-", r"pat-[a-z]{2}\d-[0-9a-f-]{32,}"),
    ("sqp_", r"sqp_[0-9a-f]{32,}"),
    ("squ_", r"squ_[0-9a-f]{32,}"),
    ("AKCp", r"AKCp[A-Za-z0-9]{20,}"),
    ("ops_eyJ", r"ops_eyJ[\w=-]{40,}"),
    # hashes of passwords: crypt, Apache's, bcrypt, Argon2
    ("$apr1$", r"\$apr1\$[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{15,}"),
    ("$2", r"\$2[abxy]\$\d\d\$[./0-9A-Za-z]{40,}"),
    ("$6$", r"\$6\$(?:rounds=\d{1,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{40,}"),
    ("$5$", r"\$5\$(?:rounds=\d{1,9}\$)?[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{30,}"),
    ("$y$", r"\$y\$[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{1,40}\$[./0-9A-Za-z]{30,}"),
    ("$argon2", r"\$argon2(?:id|i|d)\$[\w=,$]{4,60}\$[./+0-9A-Za-z]{8,}\$[./+0-9A-Za-z]{20,}"),
    # tokens and keys of standards: JWT, age, a private key in base64
    ("eyJ", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    ("eyJ", r"(?<![\w-])eyJ[A-Za-z0-9+/]{60,}={0,2}(?![A-Za-z0-9+/])"),
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-[0-9A-Z-]{20,}"),
    ("LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]{16,}"),
)


def shape_of(letters: str, shape: str) -> str:
    """The whole pattern. The letters come first, so that they are searched for as a word is: six times as fast as anything else."""
    if shape.startswith("(?<!"):
        return shape
    start = letters.replace(".", r"\.")
    if shape.startswith(start):
        return f"{start}{NOT_AFTER}{start}){shape[len(start) :]}"
    return f"{NOT_AFTER}){shape}"
