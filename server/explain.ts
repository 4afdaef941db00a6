// Start errors as sentences: they name the setting or package to change, without a stack.
import { resolve } from 'node:path';
import { CannotStart, ConfigError, type Config } from './config.ts';

/** Settings that name the database. Null if the settings could not be read. */
type DatabaseSettings = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'> | null;

type SystemError = {
  code?: string;
  message: string;
  port?: number;
  address?: string;
  hostname?: string;
  path?: string;
};

/** Explains why a start failed. Null for an unexpected error, whose stack the caller prints. */
export function explainStart(error: unknown, settings: DatabaseSettings): string | null {
  if (error instanceof CannotStart || error instanceof ConfigError) return error.message;
  const trouble = Object(error) as SystemError;
  return explainAddress(trouble) ?? explainDatabase(trouble, settings) ?? explainFolder(trouble, settings);
}

/** Explains failures to listen at the node's own host and port. */
function explainAddress({ code, port, address, hostname }: SystemError): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `PORT: ${port} is taken by another program; stop it, or choose another PORT`;
    case 'EADDRNOTAVAIL':
      return `HOST: this machine has no address ${address}; choose one of its addresses, or 0.0.0.0 for all`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return hostname ? `HOST: ${hostname} is not a name of this machine; choose one of its addresses` : null;
    case 'EACCES':
      return port === undefined ? null : `PORT: this account may not listen on ${port}; choose a port from 1024 up`;
    default:
      return null;
  }
}

/** Remedies for database errors by SQLSTATE, for errors that an operator can fix. */
const DATABASE_REMEDIES: Record<string, string> = {
  '25006': 'set the host of the primary server',
  '28000': 'allow this role in pg_hba.conf',
  '28P01': 'correct the user or the password',
  '42501': 'make this role the owner of the database',
  '53100': 'its disk is full; free some space',
  '53200': 'it has too little memory; give it more',
  '53300': 'raise its max_connections, or lower DATABASE_POOL',
};

function explainDatabase({ code = '', message }: SystemError, settings: DatabaseSettings): string | null {
  const remedy = DATABASE_REMEDIES[code];
  if (!remedy) return null;
  return `${settings?.DATABASE_URL ? 'DATABASE_URL' : 'DATA_DIR'}: ${message}; ${remedy}`;
}

const FOLDER_CAUSES: Record<string, string> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this account is used up',
  ENOTDIR: 'its path contains a file',
  EEXIST: 'its path contains a file',
  ENOENT: 'it cannot be created',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its symbolic links form a loop',
};

/** Explains errors of paths in DATA_DIR. A missing file elsewhere is a bug, so its stack is printed. */
function explainFolder({ code = '', path }: SystemError, settings: DatabaseSettings): string | null {
  const why = FOLDER_CAUSES[code];
  const dataDir = resolve(settings?.DATA_DIR ?? '');
  if (!why || !settings || !path?.startsWith(dataDir.slice(0, path.length))) return null;
  return `DATA_DIR: ${dataDir} cannot be used: ${why}; choose another folder`;
}
