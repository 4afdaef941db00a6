"""Stores of finished payments. They run the work of a payment once, in one transaction with the payment's key."""
import sys
from typing import Any, Callable, Protocol


class FinishedStore(Protocol):
    def once(self, key: str, work: Callable[[], Any]) -> bool:
        """Runs `work` if no earlier call with `key` did. Returns true if it ran. If it raises, the key is free again."""
        ...


class DbApiStore:
    """Keeps finished payments in a table of the shop's database, by a DB-API connection without autocommit.

    `work` uses the same connection, so both are committed together. One thread uses a connection at a time.
    """

    def __init__(self, connection: Any, table: str = 'balcao_finished') -> None:
        self._connection, self._table = connection, table
        self._driver = _driver_of(connection)
        style = {'qmark': '?', 'format': '%s', 'pyformat': '%s'}.get(self._driver.paramstyle, ':1')
        self._find = f'SELECT 1 FROM {table} WHERE payment_id = {style}'
        self._insert = f'INSERT INTO {table} (payment_id) VALUES ({style})'

    def create_table(self) -> None:
        """Creates the table if it is absent."""
        self._connection.cursor().execute(
            f'CREATE TABLE IF NOT EXISTS {self._table} (payment_id varchar(64) PRIMARY KEY, '
            'finished_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP)'
        )
        self._connection.commit()

    def once(self, key: str, work: Callable[[], Any]) -> bool:
        if _has_autocommit(self._connection):
            raise ValueError('the connection must not be in autocommit mode')
        cursor = self._connection.cursor()
        try:
            cursor.execute(self._find, (key,))
            if cursor.fetchone():
                self._connection.rollback()
                return False
            try:
                cursor.execute(self._insert, (key,))
            except self._driver.IntegrityError:
                self._connection.rollback()
                return False
            work()
            self._connection.commit()
            return True
        except BaseException:
            self._connection.rollback()
            raise


def _driver_of(connection: Any) -> Any:
    """The module of a connection, such as `sqlite3`, `psycopg2`, `pymysql` or `mysql.connector`."""
    name = type(connection).__module__
    while name and not hasattr(sys.modules.get(name), 'paramstyle'):
        name = name.rpartition('.')[0]
    if not name:
        raise ValueError('the connection is not a DB-API connection')
    return sys.modules[name]


def _has_autocommit(connection: Any) -> bool:
    """Without a transaction the work and the key would not be stored together."""
    if type(connection).__module__ == 'sqlite3' and connection.isolation_level is None:
        return getattr(connection, 'autocommit', True) is not False
    read = getattr(connection, 'get_autocommit', None)
    return bool(read()) if read else getattr(connection, 'autocommit', False) is True
