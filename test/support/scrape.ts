// /metrics as Prometheus reads it: its samples with their labels, and the names that it declares.

export type Sample = { name: string; labels: Record<string, string>; value: number };

export type Scrape = {
  text: string;
  samples: Sample[];
  /** Every name that a query may use; a histogram has three. */
  names: Set<string>;
  /** The value of the sample with these labels; 0 without one. */
  value(name: string, labels?: Record<string, string>): number;
};

export async function readScrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const text = await response.text();
  const samples = text.split('\n').flatMap(readSample);
  const value = (name: string, labels: Record<string, string> = {}) =>
    samples.find((sample) => sample.name === name && hasLabels(sample, labels))?.value ?? 0;
  return { text, samples, names: listNames(text), value };
}

function readSample(line: string): Sample[] {
  const [, name, inside = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (!name) return [];
  const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
  return [{ name, labels: Object.fromEntries(labels), value: Number(value) }];
}

function hasLabels(sample: Sample, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
}

function listNames(text: string): Set<string> {
  const declared = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  return new Set(
    declared.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name],
    ),
  );
}
