"""A store of finished payments for Django. The shop's own model has the keys."""
from typing import Any, Callable, Type

from django.db import IntegrityError, router, transaction


class DjangoStore:
    """Keeps finished payments in a model whose primary key is text of 64 characters. `work` runs in `atomic`."""

    def __init__(self, model: Type[Any]) -> None:
        self._model = model

    def once(self, key: str, work: Callable[[], Any]) -> bool:
        using = router.db_for_write(self._model)
        finished = self._model._default_manager.using(using)
        if finished.filter(pk=key).exists():
            return False
        with transaction.atomic(using=using):
            try:
                with transaction.atomic(using=using):
                    finished.create(pk=key)
            except IntegrityError:
                return False
            work()
        return True
