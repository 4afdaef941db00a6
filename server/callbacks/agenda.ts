// Where the engine looks next, and its sleep until there is something to look at.

export type Agenda = {
  /** With news. */
  merchants: Set<string>;
  /** With room for more, or with deliveries that came due. */
  endpoints: Set<string>;
  /** Ends the sleep, if there is one. */
  wakeUp: () => void;
};

export function createAgenda(): Agenda {
  return { merchants: new Set(), endpoints: new Set(), wakeUp() {} };
}

export function noteMerchant(agenda: Agenda, id: string): void {
  agenda.merchants.add(id);
  agenda.wakeUp();
}

export function noteEndpoint(agenda: Agenda, id: string): void {
  agenda.endpoints.add(id);
  agenda.wakeUp();
}

/** All that stands on it, which is empty then. */
export function takeAll({ merchants, endpoints }: Agenda): { merchantIds: string[]; endpointIds: string[] } {
  const all = { merchantIds: [...merchants], endpointIds: [...endpoints] };
  merchants.clear();
  endpoints.clear();
  return all;
}

/** Until something stands on it, or somebody wakes it up; at once where the node stops. */
export function sleep(agenda: Agenda, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (agenda.merchants.size + agenda.endpoints.size > 0 || stopping.aborted) resolve();
    else agenda.wakeUp = resolve;
  });
}
