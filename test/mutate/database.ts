// Vitest's global setup in a mutation run: PostgreSQL stands beside Stryker, so that a worker which is killed leaves none behind.
import type { TestProject } from 'vitest/node';

export function setup(project: TestProject): void {
  project.provide('databaseUrl', process.env['MUTATE_DATABASE_URL'] ?? '');
}
