// Facts about the plug-in for WordPress that the build, the gateway and the console share.
import type { Scope } from './scopes.ts';

/** The plug-in's version, as in the header of `packages/woocommerce/balcao.php`. */
const PLUGIN_VERSION = '0.2.0';

/** The name of the archive in `dist/downloads`. */
export const PLUGIN_FILE = `balcao-woocommerce-${PLUGIN_VERSION}.zip`;

export const PLUGIN_PATH = `/downloads/${PLUGIN_FILE}`;

/** The scopes that the plug-in uses (`balcao_scopes` in `includes/connect.php`). */
export const PLUGIN_SCOPES: readonly Scope[] = [
  'payments:read',
  'payments:write',
  'references:write',
  'refunds:write',
  'merchant:read',
  'merchant:write',
  'sms:write',
];
