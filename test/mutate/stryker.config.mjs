// The ten files where a wrong line costs money. docs/testing.md has their scores.
const files = [
  'shared/money.ts',
  'server/http/idempotency.ts',
  'server/http/signature.ts',
  'server/jobs/engine.ts',
  'server/payments/core/apply-outcome.ts',
  'server/payments/core/record-transaction.ts',
  'server/payments/core/schedule.ts',
  'server/payments/core/states.ts',
  'server/payments/core/submit.ts',
  'server/providers/gpo/client.ts',
];

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
  mutate: files,
  // Strings are SQL, log texts and words that a type checks. The compiler or a comparison of a whole answer rejects
  // empty objects and lists.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
  coverageAnalysis: 'perTest',
  // Modules build their tables while they load. Tests compare the tables with tables written by hand.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  timeoutFactor: 2,
  // Stryker reads a tsconfig through an interface that TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  ignorePatterns: ['/bench', '/docs/screens', '/test/{browser,faults,race,screens}', '/.data', '/.git'],
  tempDirName: '.stryker',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'node_modules/.cache/mutate.json' },
  allowConsoleColors: false,
};
