"""What the wheel takes from the npm package: what package.json says of it, and the built files."""

import json
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

TOP = Path(__file__).resolve().parent.parent
PACKAGE = json.loads((TOP / "package.json").read_text("utf-8"))
#: The library for JavaScript stays in npm's package.
NPM_ONLY = {".built", "index.js", "man", "types"}


class Metadata(MetadataHookInterface):
    def update(self, metadata: dict) -> None:
        repository = PACKAGE["repository"]["url"].removeprefix("git+").removesuffix(".git")
        metadata.update(
            version=PACKAGE["version"],
            description=PACKAGE["description"],
            keywords=PACKAGE["keywords"],
            authors=[{"name": PACKAGE["author"]}],
            readme={"content-type": "text/markdown", "text": (TOP / "README.md").read_text("utf-8")},
            urls={"Homepage": PACKAGE["homepage"], "Source": repository, "Issues": PACKAGE["bugs"]["url"]},
            scripts={name: "jb_filters:main" for name in PACKAGE["bin"]},
        )


class Files(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        into = "jb_filters/npm"
        named = ["LICENSE", "bin", "fixtures/pairs.jsonl", "jb.mk", "package.json", "schema"]
        built = [path.relative_to(TOP).as_posix() for path in (TOP / "dist").iterdir() if path.name not in NPM_ONLY]
        if "dist/launch.cjs" not in built:
            raise FileNotFoundError("dist/ is not built: make wheel builds it first")
        build_data["force_include"] = {str(TOP / path): f"{into}/{path}" for path in named + built}
        build_data["shared_data"] = {
            str(page): f"share/man/man{page.suffix[1:]}/{page.name}" for page in (TOP / "dist/man").iterdir()
        }
