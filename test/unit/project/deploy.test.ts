// The files of deploy/ match the gateway's settings, paths, limits and timeouts, and their programs accept them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { environment } from '../../../server/environment.ts';
import { MAX_BYTES } from '../../../server/http/body.ts';
import { declaredRoutes } from '../../support/declared.ts';
import { listFiles, readText, ROOT } from '../../support/source.ts';

const UNIT = 'deploy/balcao@.service';
const COMPOSE = 'deploy/compose.yaml';
const EXAMPLE = 'deploy/balcao.env.example';
const [NGINX, CADDY, HAPROXY] = ['deploy/nginx.conf', 'deploy/Caddyfile', 'deploy/haproxy.cfg'];
const PROXIES = [NGINX, CADDY, HAPROXY];

/** The number that follows a pattern in a file. */
function numberIn(file: string, behind: RegExp): number {
  const [, number] = new RegExp(`${behind.source}(\\d[\\d_]*)`, behind.flags).exec(readText(file)) ?? [];
  expect(number, `${file}: ${behind}`).toBeDefined();
  return Number(number?.replaceAll('_', ''));
}

const SECRETS = { SECRETS_KEYS: `a:${Buffer.alloc(32).toString('base64')}`, GPO_KEY: 'x'.repeat(16) };

describe('a variable of deploy/', () => {
  /** Variables of systemd, Linux, PostgreSQL's image and the proxies. */
  const OTHERS = /^(AF_|POSTGRES_|NET_BIND_SERVICE$|DAC_READ_SEARCH$)/;

  test.each(listFiles('deploy/*.*', 'deploy/C*'))('in %s is a setting of the gateway', (file) => {
    const names = new Set(readText(file).match(/\b[A-Z]+_[A-Z_]+\b/g));
    expect([...names].filter((name) => !(name in environment.shape) && !OTHERS.test(name))).toEqual([]);
  });

  test('is in the example environment if production requires it, and production accepts the example', () => {
    const example = parseEnv(readText(EXAMPLE)) as Record<string, string>;
    expect(
      Object.keys(example)
        .filter((name) => !example[name])
        .toSorted(),
    ).toEqual(Object.keys(SECRETS).toSorted());
    expect(readConfig({ ...example, ...SECRETS })).toMatchObject({
      isSandbox: false,
      PUBLIC_URL: 'https://pay.example',
    });
  });

  test('contains the IP address of the proxy whose X-Forwarded-For the gateway trusts', () => {
    expect(readText(EXAMPLE)).toMatch(/^TRUSTED_PROXIES=127\.0\.0\.1$/m);
    const subnet = /TRUSTED_PROXIES: (\S+)/.exec(readText(COMPOSE))?.[1];
    expect(readText(COMPOSE)).toContain(`subnet: ${subnet} `);
  });
});

describe('a path of a proxy', () => {
  test.each(PROXIES)('in the file %s is a path of the gateway', (file) => {
    const declared = declaredRoutes.map(({ path }) => `/${path.split('/')[1]}`);
    const asked = new Set(readText(file).match(/(?<=\s)\/[a-z]+(?=[\s/{])/g));
    const known = new Set([...declared, '/sandbox', '/demo', '/etc']);
    expect(asked).toContain('/metrics');
    expect([...asked].filter((path) => !known.has(path))).toEqual([]);
  });

  test.each([CADDY, HAPROXY])('for the health check in %s is /readyz', (file) => {
    expect(readText(file)).toMatch(/(health_uri|httpchk GET) \/readyz$/m);
  });
});

describe('a timeout in deploy/', () => {
  const { DRAIN_S } = readConfig({ ...(parseEnv(readText(EXAMPLE)) as Record<string, string>), ...SECRETS });
  const stopS = DRAIN_S + numberIn('server/main.ts', /STOP_AT_MOST_MS = /) / 1000;

  test.each([
    [UNIT, /^TimeoutStopSec=/m],
    [COMPOSE, /node:[^]*?stop_grace_period: /],
  ])('in %s is longer than the time that a node needs to stop', (file, behind) => {
    expect(numberIn(file, behind)).toBeGreaterThan(stopS);
  });

  test.each([
    [NGINX, /proxy_read_timeout /],
    [CADDY, /response_header_timeout /],
    [HAPROXY, /timeout server /],
  ])('in %s is longer than the gateway’s slowest response', (file, behind) => {
    const longestS = numberIn('server/payments/routes.ts', /Prefer: wait=N` \(RFC 7240, at most /);
    expect(numberIn(file, behind)).toBeGreaterThan(longestS);
  });

  test.each([
    [NGINX, /\n +keepalive_timeout /],
    [CADDY, /keepalive /],
    [HAPROXY, /timeout http-keep-alive /],
  ])('in %s makes the proxy close an idle connection before the node closes it', (file, behind) => {
    expect(numberIn(file, behind)).toBeLessThan(numberIn('server/start.ts', /keepAliveTimeout = /) / 1000);
  });
});

test('each start command in deploy/ is a plain `node` command', () => {
  expect(JSON.parse(readText('package.json')).scripts.start).toBe('node dist/server/main.js');
  expect(readText('bench/kit/gateway.ts')).toContain("GATEWAY = 'dist/server/main.js'");
  expect(readText(UNIT)).toMatch(/^ExecStart=\/usr\/bin\/node --env-file=%d\/secrets server\.js$/m);
  expect(readText('deploy/Containerfile')).toMatch(/^CMD \["node", "server\.js"\]$/m);
});

test('the proxies forward bodies that are too large for the gateway', () => {
  for (const [file, behind] of [
    [NGINX, /client_max_body_size /],
    [CADDY, /max_size /],
  ] as const)
    expect(numberIn(file, behind) * 2 ** 20).toBeGreaterThan(MAX_BYTES);
});

test('the script of the health check in compose.yaml is one quoted shell word', () => {
  const [asked, ...others] = readText(COMPOSE).match(/^.*\bfetch\(.*$/gm) ?? [];
  expect(others).toEqual([]);
  expect(asked).toMatch(/^ +"[^"]+",$/);
});

/** These programs are no npm packages. A machine without one skips its test. */
const has = (command: string, version: string) => spawnSync(command, [version]).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'balcao-deploy-'));
const [certificate, key, both] = ['cert.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

/** Copies a file of deploy/, with host names and paths of this machine. */
function adapt(file: string, as: string, changes: [from: string | RegExp, to: string][]): string {
  const changed = changes.reduce((text, [from, to]) => text.replaceAll(from, to), readText(file));
  writeFileSync(join(folder, as), changed);
  return join(folder, as);
}

function expectAccepted(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  expect(status, stdout + stderr).toBe(0);
}

describe('a program of deploy/', () => {
  beforeAll(() => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const made = ['-subj', '/CN=pay.example', '-keyout', key, '-out', certificate];
    if (spawnSync('openssl', ['req', '-x509', ...curve, ...made]).status !== 0) return;
    writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.skipIf(!has('nginx', '-v') || !has('openssl', 'version'))('nginx accepts nginx.conf', () => {
    adapt(NGINX, 'site.conf', [
      [/listen \[::\].*/g, ''],
      ['listen 80', 'listen 127.0.0.1:18080'],
      ['listen 443', 'listen 127.0.0.1:18443'],
      [/\S+fullchain\.pem/g, certificate],
      [/\S+privkey\.pem/g, key],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder};`,
    );
    const http = `http { ${temporary.join(' ')} include ${folder}/site.conf; }`;
    writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/nginx.pid; events {} ${http}`);
    expectAccepted('nginx', '-t', '-e', 'stderr', '-c', join(folder, 'nginx.conf'));
  });

  test.skipIf(!has('caddy', 'version'))('Caddy accepts the Caddyfile', () => {
    expectAccepted('caddy', 'validate', '--adapter', 'caddyfile', '--config', join(ROOT, CADDY));
  });

  test.skipIf(!has('haproxy', '-v') || !has('openssl', 'version'))('HAProxy accepts haproxy.cfg', () => {
    expectAccepted('haproxy', '-c', '-f', adapt(HAPROXY, 'haproxy.cfg', [['/etc/haproxy/pay.example.pem', both]]));
  });

  test.skipIf(!has('systemd-analyze', '--version'))('systemd accepts balcao@.service', () => {
    const unit = adapt(UNIT, 'balcao@8080.service', [['/opt/balcao', ROOT.replace(/\/$/, '')]]);
    expectAccepted('systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', unit);
  });
});
