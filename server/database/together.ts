// Rows of several callers in one statement: while some statements are under way, what comes in waits and goes out together.

export type Together<Row, Found> = (row: Row) => Promise<Found>;

export type TogetherOptions = {
  /** Statements under way at most; with fewer a row goes out at once, alone. */
  statements: number;
  rows: number;
};

/** @param run writes all the rows or none, and answers for each in their order */
export function writeTogether<Row, Found>(
  run: (rows: Row[]) => Promise<Found[]>,
  { statements, rows }: TogetherOptions,
): Together<Row, Found> {
  type Waiting = { row: Row; resolve(found: Found): void; reject(error: unknown): void };
  const queue: Waiting[] = [];
  let underWay = 0;
  const runNext = async (): Promise<void> => {
    const batch = queue.splice(0, rows);
    underWay++;
    try {
      const found = await run(batch.map(({ row }) => row));
      batch.forEach(({ resolve }, nth) => resolve(found[nth] as Found));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    if (queue.length > 0) void runNext();
  };
  return (row) =>
    new Promise((resolve, reject) => {
      queue.push({ row, resolve, reject });
      if (underWay < statements) void runNext();
    });
}
