// Preloaded by `node --import`. The clock of the process is LATE_START_MS ahead.
const lateMs = Number(process.env['LATE_START_MS'] ?? 0);
const RealDate = Date;

/** Changes only the functions that read the present time. */
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + lateMs] : args, newTarget),
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + lateMs : Reflect.get(target, name, receiver),
});
