import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeBackup } from '../../../server/cli/backup/copy.ts';
import { systemClock } from '../../../server/clock.ts';
import { connectTo, DatabaseClient } from '../../../server/database/connect.ts';
import { openMigrated } from '../../../server/database/migrate.ts';
import { openWatch } from '../../../server/database/watch.ts';
import { entities } from '../../../server/entities.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { startTestApp, until } from '../../support/app.ts';
import { freshDatabase, querySql } from '../../support/database.ts';
import { startOwnPostgres, startPair, type OwnPostgres } from '../../support/own-postgres.ts';
import { create, webframe } from '../../support/payments.ts';
import { readScrape } from '../../support/scrape.ts';

// Certificates for a test's servers, made by openssl.
const hasOpenssl = !spawnSync('openssl', ['version'], { stdio: 'ignore' }).error;

type Certificate = { cert: string; key: string };

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

/** Creates a certificate authority. `cert`: the certificate that its clients trust. */
function makeAuthority(folder: string, name: string): Certificate {
  const made = pathsOf(folder, name);
  openssl(['req', '-x509', ...CURVE, '-subj', `/CN=${name}`, '-keyout', made.key, '-out', made.cert]);
  return made;
}

/** @param names as `DNS:localhost`, `IP:127.0.0.1`; omitted for a client, whose `name` is its user */
function makeCertificate(folder: string, authority: Certificate, name: string, names?: string): Certificate {
  const made = pathsOf(folder, name);
  const by = ['-CA', authority.cert, '-CAkey', authority.key];
  const alternative = names ? ['-addext', `subjectAltName=${names}`] : [];
  openssl(['req', '-x509', ...CURVE, ...by, '-subj', `/CN=${name}`, ...alternative, '-keyout', made.key, '-out', made.cert]); // prettier-ignore
  return made;
}

function pathsOf(folder: string, name: string): Certificate {
  return { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
}

function openssl(args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

const folder = mkdtempSync(join(tmpdir(), 'balcao-url-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function withQuery(url: string, query: Record<string, string>, host?: string): string {
  const changed = new URL(url);
  if (host) changed.hostname = host;
  changed.search = '';
  return `${changed.href}?${Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`; // prettier-ignore
}

type Seen = { tls: boolean; name: string; memory: string };

async function ask<Row extends object>(url: string, text: string): Promise<Row> {
  const client = new DatabaseClient(await connectTo(url, { withinMs: 60_000 }));
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows[0] as Row;
  } finally {
    await client.end();
  }
}

const look = (url: string) =>
  ask<Seen>(
    url,
    `select ssl as tls, current_setting('application_name') as name, current_setting('work_mem') as memory
     from pg_stat_ssl where pid = pg_backend_pid()`,
  );

describe.skipIf(!hasOpenssl)('a PostgreSQL that accepts only TLS', () => {
  let postgres: OwnPostgres;
  let authority: Certificate;
  let stranger: Certificate;
  const by = (query: Record<string, string>, host?: string) => withQuery(postgres.url, query, host);

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    authority = makeAuthority(folder, 'authority');
    stranger = makeAuthority(folder, 'stranger');
    const server = makeCertificate(folder, authority, 'server', 'DNS:localhost');
    const owner = statSync(postgres.folder);
    for (const [from, to] of [
      [server.cert, 'server.crt'],
      [server.key, 'server.key'],
      [authority.cert, 'root.crt'],
    ] as const) {
      const file = join(postgres.folder, to);
      copyFileSync(from, file);
      chownSync(file, owner.uid, owner.gid);
      chmodSync(file, 0o600);
    }
    await querySql(postgres.url, `alter system set ssl = on`);
    await querySql(postgres.url, `alter system set ssl_ca_file = 'root.crt'`);
    await querySql(postgres.url, `create role certified login superuser`);
    writeFileSync(
      join(postgres.folder, 'pg_hba.conf'),
      'hostssl all certified all cert\nhostssl all all all scram-sha-256\n',
    );
    await querySql(postgres.url, 'select pg_reload_conf()');
    await until(
      () => look(by({ sslmode: 'disable' })).then(() => false, () => true), // prettier-ignore
      'plain connections being refused',
    );
  });
  afterAll(() => postgres?.remove());

  test.each<[string, Record<string, string>]>([
    ['prefer', { sslmode: 'prefer' }],
    ['no mode', {}],
    ['allow', { sslmode: 'allow' }],
    ['require', { sslmode: 'require' }],
  ])('is reached over TLS with %s in the URL', async (_name, query) => {
    expect((await look(by(query))).tls).toBe(true);
  });

  test('refuses a connection without TLS', async () => {
    await expect(look(by({ sslmode: 'disable' }))).rejects.toThrow(/no pg_hba.conf entry.*no encryption/);
  });

  test('is accepted only with a certificate of the root authority for its full host name', async () => {
    const sslrootcert = authority.cert;
    expect((await look(by({ sslmode: 'verify-ca', sslrootcert }))).tls).toBe(true);
    expect((await look(by({ sslmode: 'verify-full', sslrootcert }, 'localhost'))).tls).toBe(true);
    // The certificate names localhost and not the IP address.
    await expect(look(by({ sslmode: 'verify-full', sslrootcert }))).rejects.toThrow(/127\.0\.0\.1/);
  });

  test.each(['require', 'verify-ca', 'verify-full'])(
    'is refused by %s with another root certificate',
    async (sslmode) => {
      const wrong = by({ sslmode, sslrootcert: stranger.cert }, 'localhost');
      await expect(look(wrong)).rejects.toThrow(/certificate/);
    },
  );

  test('accepts a client by its certificate', async () => {
    const { cert, key } = makeCertificate(folder, authority, 'certified');
    const own = Object.assign(new URL(postgres.url), { username: 'certified', password: '' }).href;
    const files = { sslmode: 'verify-ca', sslrootcert: authority.cert, sslcert: cert, sslkey: key };
    expect((await look(withQuery(own, files))).tls).toBe(true);
    const without = withQuery(own, { sslmode: 'verify-ca', sslrootcert: authority.cert });
    await expect(look(without)).rejects.toThrow(/certificate/);
  });

  test('is used over TLS by migrations, pool, change watch, metrics, simulator and backup of a node', async () => {
    const url = by(
      { sslmode: 'verify-full', sslrootcert: authority.cert, application_name: 'balcao-tls' },
      'localhost',
    );
    const app = await startTestApp({ databaseUrl: url });
    await create(app, webframe());
    expect((await app.call('/readyz')).status).toBe(200);
    expect((await readScrape(app.url)).value('balcao_database_up')).toBe(1);
    const seen = await ask<{ plain: number; named: number }>(by({ sslmode: 'require' }), CONNECTIONS);
    expect(seen.plain).toBe(0);
    expect(seen.named).toBeGreaterThan(0);
    await app.stop();
    const about = { environment: 'sandbox', secretsKeys: 'k', takenAt: '2026-11-27T12:00:00Z' } as const;
    const into = { file: join(folder, 'backup'), passphrase: 'a long passphrase' };
    expect((await writeBackup(url, about, into)).bytes).toBeGreaterThan(0);
  });

  const CONNECTIONS = `select count(*) filter (where not s.ssl)::int as plain, count(*) filter (where application_name = 'balcao-tls')::int as named
    from pg_stat_ssl s join pg_stat_activity a using (pid) where a.backend_type = 'client backend'`;

  test('is not used if the certificate file is unreadable: the node prints one sentence and exits', async () => {
    const url = by({ sslmode: 'verify-ca', sslrootcert: '/nowhere/root.crt' });
    await expect(openMigrated(url, { entities, poolMax: 1 })).rejects.toMatchObject({
      name: 'CannotStart',
      message: 'DATABASE_URL: sslrootcert=/nowhere/root.crt cannot be read (ENOENT).',
    });
  });
});

describe('a PostgreSQL without TLS', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    fresh = await freshDatabase();
  });
  afterAll(() => fresh?.drop());

  test('is reached with sslmode prefer and allow, and not with require', async () => {
    expect(await look(withQuery(fresh.url, {}))).toMatchObject({ tls: false });
    expect(await look(withQuery(fresh.url, { sslmode: 'allow' }))).toMatchObject({ tls: false });
    await expect(look(withQuery(fresh.url, { sslmode: 'require' }))).rejects.toThrow('does not support SSL');
  });

  test('receives the application name and the options of the URL', async () => {
    const query = { application_name: 'a shop', options: '-c work_mem=8MB' };
    expect(await look(withQuery(fresh.url, query))).toMatchObject({ name: 'a shop', memory: '8MB' });
  });

  describe('on a Unix socket', () => {
    let socket: Server;
    beforeAll(async () => {
      const { hostname, port } = new URL(fresh.url);
      socket = createServer((client) => {
        const server = connect(Number(port), hostname);
        client.pipe(server).pipe(client);
        for (const end of [client, server]) end.on('error', () => client.destroy());
      });
      socket.listen(join(folder, '.s.PGSQL.6543'));
      await once(socket, 'listening');
    });
    afterAll(() => void socket?.close());

    test("is reached by the path of the socket's folder, in the query or as the encoded host", async () => {
      const { username, password, pathname } = new URL(fresh.url);
      const asHost = `postgres://${username}:${password}@${encodeURIComponent(folder)}:6543${pathname}?sslmode=require`;
      expect(await look(asHost)).toMatchObject({ tls: false });
      const inQuery = `postgres://${username}:${password}@${pathname}?host=${folder}&port=6543`;
      expect(await look(inQuery)).toMatchObject({ tls: false });
    });
  });

  test('makes the connection fail after connect_timeout if it never responds', async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const url = `postgres://u@127.0.0.1:${port}/d?sslmode=disable&connect_timeout=1`;
    // Without the timeout of the URL, the connection would fail only after an hour.
    const client = new DatabaseClient(await connectTo(url, { withinMs: HOUR_MS }));
    await expect(client.connect()).rejects.toThrow('timeout expired');
    silent.close();
  });

  test('ends the search through the hosts of the URL if it refuses the password', async () => {
    const { port, username, pathname } = new URL(fresh.url);
    const url = `postgres://${username}:wrong@127.0.0.1:9,127.0.0.1:${port},127.0.0.1:8${pathname}`;
    await expect(look(url)).rejects.toMatchObject({ code: '28P01' });
  });
});

test('a node with several database hosts uses the writable host, and finds the next one after a failover', async () => {
  const pair = await startPair(mkdtempSync(join(folder, 'pair-')), true);
  try {
    const [one, two] = pair.instances;
    const { username, password, pathname } = new URL(pair.urlAt(1));
    const hosts = `127.0.0.1:9,127.0.0.1:${two!.port},127.0.0.1:${one!.port}`;
    const urlFor = (session: string) =>
      `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=${session}`;
    const portBy = async (session: string) => {
      const client = new DatabaseClient(await connectTo(urlFor(session), { withinMs: 60_000 }));
      await client.connect();
      await client.end();
      return client.port;
    };
    expect(await portBy('read-write')).toBe(one!.port);
    expect(await portBy('primary')).toBe(one!.port);
    expect(await portBy('any')).toBe(two!.port);

    const ended = new AbortController();
    const url = urlFor('read-write');
    const { orm, pool } = await openMigrated(url, { entities, poolMax: 2 });
    const watch = await openWatch({
      databaseUrl: url,
      clock: systemClock,
      toleranceMs: Infinity,
      log: pino({ level: 'silent' }),
      stopping: ended.signal,
      holdWrites: () => {},
    });
    await until(() => watch.isReady(), 'the watch finding the primary');
    await pair.kill();
    await pair.promote();
    await until(() => watch.isReady(), 'the watch finding the new primary');
    const write = () => pool.query('create table if not exists notes (id int)').then(() => true, () => false); // prettier-ignore
    await until(write, 'the pool finding the new primary');
    expect(await portBy('primary')).toBe(two!.port);
    ended.abort();
    await watch.close();
    await orm.close(true);
  } finally {
    await pair.stop();
  }
});
