// Stryker for one group of files; main.ts runs it and says which by the environment.
const { MUTATE_GROUP, MUTATE_SOURCES } = process.env;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
  mutate: MUTATE_SOURCES.split(' '),
  // Left out: strings are SQL, log texts and words that a type checks; empty objects and lists are what the compiler
  // refuses, or what a view shows and its tests compare whole.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'ArrayDeclaration'] },
  coverageAnalysis: 'perTest',
  // The tables of states are read once, when the server is loaded; tests hold them against tables written by hand.
  ignoreStatic: true,
  concurrency: 2,
  // A loop ends by its count of hits; time only means that the machine is busy.
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
