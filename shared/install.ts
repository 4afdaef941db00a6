// The addresses of the installed console: its manifest, its icons, its service worker and the shell.
// The scripts write their addresses themselves, because an import would become one more file to load.

export const MANIFEST = '/console/manifest.webmanifest';
export const WORKER = '/console/worker.js';
/** The icon of a home screen that reads no manifest. */
export const TOUCH_ICON = '/console/icon-180.png';
/** The two pages of the shell, below the version of the build. */
export const SHELL = '/console/shell';
