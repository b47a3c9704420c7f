"""From an address to the place where the results of leases lie."""

from __future__ import annotations

import os

from outlive.data.addresses import is_address
from outlive.jobs.leases.storage import FolderStorage, Storage
from outlive.jobs.leases.store_storage import StoreStorage


def storage_at(address: str) -> Storage:
    """Open the place of this address."""
    return StoreStorage(address) if is_address(address) else FolderStorage(os.path.abspath(address))
