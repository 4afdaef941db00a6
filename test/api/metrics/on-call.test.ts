// Alerts, dashboard and runbook use only metrics, labels, commands and sections that exist.
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../../server/cli/program.ts';
import { systemClock } from '../../../server/clock.ts';
import { startTestApp } from '../../support/app.ts';
import { readScrape, type Scrape } from '../../support/scrape.ts';
import { readText } from '../../support/source.ts';

const ALERTS = 'deploy/prometheus/alerts.yml';
const TESTS = 'deploy/prometheus/alerts.test.yml';
const DASHBOARD = 'deploy/grafana/balcao.json';
const RUNBOOK = 'docs/runbook.md';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

// Prometheus is not an npm package, so promtool is optional.
describe.skipIf(!hasPromtool)('promtool', () => {
  test.each([
    ['check', 'rules', ALERTS],
    ['check', 'config', 'deploy/prometheus/prometheus.yml'],
    ['test', 'rules', TESTS],
  ])('accepts the configuration files: %s %s %s', (...args) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});

const alerts = [...readText(ALERTS).matchAll(/- alert: (\w+)[\s\S]*?runbook: (\S+)/g)].map(
  ([, name = '', page = '']) => ({
    name,
    page,
  }),
);

describe('an alert rule', () => {
  test('is one of twelve and has its own promtool test', () => {
    expect(alerts).toHaveLength(12);
    for (const { name } of alerts) {
      expect(readText(TESTS)).toContain(`alertname: ${name}, exp_alerts: []`);
      expect(readText(TESTS)).toContain(`{alertname="${name}"}`);
    }
  });

  test.each(alerts)('links to its own section of the runbook: $name', ({ name, page }) => {
    const [path, anchor] = page.split('#');
    expect(path).toBe(RUNBOOK);
    const section = readText(RUNBOOK)
      .split(/^## /m)
      .find((text) => anchorOf(text.split('\n')[0] ?? '') === anchor);
    expect(section).toContain(`\`${name}\``);
  });

  test('exists for each alert name in the runbook', () => {
    const named = new Set(readText(RUNBOOK).match(/\bBalcao[A-Z]\w+/g));
    expect([...named].toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
  });
});

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');

describe('a metric', () => {
  let scrape: Scrape;
  beforeAll(async () => {
    const app = await startTestApp();
    scrape = await readScrape(app.url);
  });

  /** Finds the metric names in a text: words with the prefix of our metrics or of Node's metrics. */
  const namesIn = (text: string) => [...new Set(text.match(/\b(?:balcao|nodejs|process)_[a-z0-9_]+\b/g))];

  test.each([ALERTS, TESTS, DASHBOARD, RUNBOOK])('exists in the scrape of a node if it is named in %s', (path) => {
    const names = namesIn(readText(path));
    expect(names.length).toBeGreaterThan(10);
    // In prose a histogram has its name without the suffixes `_bucket`, `_sum` and `_count`.
    const isThere = (name: string) => scrape.names.has(name) || (path === RUNBOOK && scrape.names.has(`${name}_count`));
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('is used by the dashboard or by an alert rule', () => {
    const shown = new Set([...namesIn(readText(ALERTS)), ...namesIn(readText(DASHBOARD))].map(withoutEnd));
    const ours = new Set([...scrape.names].filter((name) => name.startsWith('balcao_')).map(withoutEnd));
    expect([...ours].filter((name) => !shown.has(name))).toEqual([]);
  });

  test('is queried only by labels that it has', () => {
    const expressions = [ALERTS, DASHBOARD].map((path) => readText(path).replaceAll('\\"', '"')).join('\n');
    const selectors = [...expressions.matchAll(/\b(balcao_\w+)\{([^}]*)\}/g)];
    expect(selectors.length).toBeGreaterThan(15);
    const wrong = selectors.flatMap(([, name = '', inside = '']) => {
      const labels = [...inside.matchAll(/(\w+)(?==~?|!=|!~)/g)].map(([, label = '']) => label);
      return labels.filter((label) => !LABELS[withoutEnd(name)]?.includes(label)).map((label) => `${name}: ${label}`);
    });
    expect(wrong).toEqual([]);
    const known = scrape.samples.filter(({ name }) => LABELS[withoutEnd(name)]);
    for (const { name, labels } of known)
      expect(LABELS[withoutEnd(name)], name).toEqual(expect.arrayContaining(Object.keys(labels)));
  });

  const withoutEnd = (name: string) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds');

  /** Returns the labels that the queries of a file use. */
  const LABELS: Record<string, string[]> = {
    balcao_http_request_seconds: ['method', 'route', 'status', 'le'],
    balcao_payments_total: ['method', 'status'],
    balcao_rail_call_seconds: ['connector', 'kind', 'call', 'result', 'le'],
    balcao_deliveries_ended_total: ['kind', 'status'],
    balcao_deliveries_oldest_due_seconds: ['endpoint'],
    balcao_orders_undecided: ['older_than_seconds'],
    balcao_job_seconds: ['queue', 'result', 'le'],
  };
});

describe('a command in the runbook', () => {
  const commands = new Set(
    [...readText(RUNBOOK).matchAll(/npm run balcao -- ([a-z-]+)((?: [a-z][a-z-]*)?)/g)].map(
      ([, noun, verb]) => noun! + verb,
    ),
  );

  test.each([...commands])('exists: %s', async (command) => {
    const said: string[] = [];
    const exitCode = await runCommand([...command.split(' '), '--help'], {
      clock: systemClock,
      say: (line) => void said.push(line),
      complain: (line) => void said.push(line),
      terminal: { input: process.stdin, output: process.stderr },
      untilStopped: () => new AbortController().signal,
    });
    expect(exitCode, said.join('\n')).toBe(0);
  });
});
