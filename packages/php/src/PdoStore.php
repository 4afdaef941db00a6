<?php

declare(strict_types=1);

namespace Balcao;

/** Stores finished payments in a table of the shop's database: MySQL, MariaDB, PostgreSQL or SQLite. */
final class PdoStore implements FinishedStore {
    private \PDO $pdo;
    private string $table;

    public function __construct(\PDO $pdo, string $table = 'balcao_finished') {
        [$this->pdo, $this->table] = [$pdo, $table];
    }

    public function createTable(): void {
        // Without transactions the work and the key would not be stored together.
        $engine = $this->isMysql() ? ' ENGINE=InnoDB' : '';
        $time = 'finished_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP';
        $this->run("CREATE TABLE IF NOT EXISTS $this->table (payment_id varchar(64) PRIMARY KEY, $time)$engine");
    }

    public function once(string $key, callable $work): bool {
        $this->pdo->beginTransaction();
        try {
            [$begin, $end] = $this->isMysql() ? ['INSERT IGNORE', ''] : ['INSERT', ' ON CONFLICT DO NOTHING'];
            $isFirst = $this->run("$begin INTO $this->table (payment_id) VALUES (?)$end", $key);
            if ($isFirst) {
                $work();
            }
            $this->pdo->commit();
            return $isFirst;
        } catch (\Throwable $error) {
            if ($this->pdo->inTransaction()) {
                $this->pdo->rollBack();
            }
            throw $error;
        }
    }

    private function isMysql(): bool {
        return $this->pdo->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'mysql';
    }

    /** Returns true if a row was written. PDO reports errors by false in PHP 7, therefore the check. */
    private function run(string $sql, string ...$values): bool {
        $statement = $this->pdo->prepare($sql);
        if (!$statement || !$statement->execute($values)) {
            throw new \RuntimeException("$this->table: " . implode(' ', ($statement ?: $this->pdo)->errorInfo()));
        }
        return $statement->rowCount() > 0;
    }
}
