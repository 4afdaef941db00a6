"""Builds the wheel and the sdist with the standard library only, so that pip needs no network."""
import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = dict(re.findall(r'^([\w-]+) = "(.*)"$', (ROOT / 'pyproject.toml').read_text(encoding='utf-8'), re.M))
NAME = f"{SETTINGS['name']}-{SETTINGS['version']}"
METADATA = f"""Metadata-Version: 2.1
Name: {SETTINGS['name']}
Version: {SETTINGS['version']}
Summary: {SETTINGS['description']}
License: MIT
Requires-Python: {SETTINGS['requires-python']}
Description-Content-Type: text/markdown

{(ROOT / 'README.md').read_text(encoding='utf-8')}"""
WHEEL = 'Wheel-Version: 1.0\nGenerator: balcao\nRoot-Is-Purelib: true\nTag: py3-none-any\n'


def files_of(*names):
    found = (each for name in names for each in [ROOT / name, *sorted((ROOT / name).rglob('*'))])
    return [each for each in found if each.is_file() and each.suffix in ('.py', '.typed', '.md', '.toml', '')]


def build_wheel(directory, config_settings=None, metadata_directory=None):
    info = f'{NAME}.dist-info'
    content = {str(each.relative_to(ROOT / 'src')): each.read_bytes() for each in files_of('src')}
    content[f'{info}/LICENSE'] = (ROOT / 'LICENSE').read_bytes()
    content[f'{info}/METADATA'] = METADATA.encode()
    content[f'{info}/WHEEL'] = WHEEL.encode()
    record = ''
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        record += f'{name},sha256={digest},{len(data)}\n'
    content[f'{info}/RECORD'] = f'{record}{info}/RECORD,,\n'.encode()
    wheel = f'{NAME}-py3-none-any.whl'
    with zipfile.ZipFile(Path(directory) / wheel, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return wheel


def build_sdist(directory, config_settings=None):
    with tarfile.open(Path(directory) / f'{NAME}.tar.gz', 'w:gz') as archive:
        for each in files_of('pyproject.toml', 'README.md', 'LICENSE', 'src', 'build_backend'):
            archive.add(each, f'{NAME}/{each.relative_to(ROOT)}')
        about = tarfile.TarInfo(f'{NAME}/PKG-INFO')
        about.size = len(METADATA.encode())
        archive.addfile(about, io.BytesIO(METADATA.encode()))
    return f'{NAME}.tar.gz'
