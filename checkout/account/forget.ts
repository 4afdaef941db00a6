// Forgets the last person of the console on this device, after the sign-out.

/** Deletes the worker with its shell, and a charge that was not sent. The device keeps its paper size. */
export async function forgetVisitor(): Promise<void> {
  if (location.search !== '?out') return;
  history.replaceState(null, '', location.pathname);
  sessionStorage.removeItem('balcao-till');
  const registration = await navigator.serviceWorker?.getRegistration('/console/');
  await registration?.unregister();
  if (!('caches' in window)) return;
  for (const name of await caches.keys()) await caches.delete(name);
}
