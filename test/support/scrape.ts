// Reads the samples of /metrics like Prometheus. `names` also contains the three names of each histogram.

type Sample = { name: string; labels: Record<string, string>; value: number };

export type Scrape = Awaited<ReturnType<typeof readScrape>>;

export async function readScrape(url: string) {
  const response = await fetch(`${url}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const text = await response.text();
  const samples = text.split('\n').flatMap(readSample);
  /** Returns the value of the single sample with these labels, or 0. */
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
