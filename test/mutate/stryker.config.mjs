// Stryker for one group of files; main.ts runs it and says which by the environment.
const { MUTATE_GROUP, MUTATE_SOURCES } = process.env;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
  mutate: MUTATE_SOURCES.split(' '),
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  timeoutFactor: 1.5,
  // Stryker reads a tsconfig by TypeScript's old interface, which TypeScript 7 has no more; nothing here needs it.
  tsconfigFile: 'none.json',
  ignorePatterns: ['/bench', '/docs/screens', '/test/{browser,faults,race,screens}', '/.stryker', '/.data', '/.git'],
  tempDirName: '.stryker',
  cleanTempDir: 'always',
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: `node_modules/.cache/mutate/${MUTATE_GROUP}.json` },
  allowConsoleColors: false,
};
