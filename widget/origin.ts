// Where the running script was loaded from.

/** The origin of the script that is being run for the first time; empty where there is no page. */
export function readOrigin(): string {
  const script = typeof document === 'undefined' ? null : document.currentScript;
  const source = (script as HTMLScriptElement | null)?.src ?? import.meta.url;
  return source ? new URL(source).origin : '';
}
