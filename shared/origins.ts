// Web origins that belong to a merchant. In a sandbox each origin of the developer's own machine belongs to it too.

/** Loopback origins of any port, in the form of a security policy, which knows no IPv6 addresses. */
export const LOOPBACK_ORIGINS: readonly string[] = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '*.localhost', '127.0.0.1'].map((host) => `${scheme}://${host}:*`),
);

/** True if the list has the origin. An entry that ends in `:*` stands for every port, `*.` for every subdomain. */
export function listsOrigin(list: readonly string[], origin: string): boolean {
  if (list.includes(origin)) return true;
  const anyPort = `${origin.replace(/:\d+$/, '')}:*`;
  const anyHost = anyPort.replace(/\/\/[^/]+\.localhost:/, '//*.localhost:');
  return list.includes(anyPort) || list.includes(anyHost);
}
