// Certificates for a test's servers, made by openssl.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const hasOpenssl = !spawnSync('openssl', ['version'], { stdio: 'ignore' }).error;

export type Certificate = { cert: string; key: string };

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

/** An authority of its own: `cert` is what its clients trust. */
export function makeAuthority(folder: string, name: string): Certificate {
  const made = pathsOf(folder, name);
  openssl(['req', '-x509', ...CURVE, '-subj', `/CN=${name}`, '-keyout', made.key, '-out', made.cert]);
  return made;
}

/** @param names as `DNS:localhost`, `IP:127.0.0.1`; omitted for a client, whose `name` is its user */
export function makeCertificate(folder: string, authority: Certificate, name: string, names?: string): Certificate {
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
