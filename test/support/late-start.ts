// Preloaded into a server under test (`node --import`): it believes to be started LATE_START_MS later than it was.
const lateMs = Number(process.env['LATE_START_MS'] ?? 0);
const RealDate = Date;

/** Only what reads the present moment is moved; the rest is the real one. */
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + lateMs] : args, newTarget),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + lateMs : Reflect.get(target, name, receiver),
});
