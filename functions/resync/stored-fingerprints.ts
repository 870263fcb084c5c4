// The result of the previous resync, in a ConfigMap of the management cluster.
import type { StoredState } from '../../shared/event-source/state-config-map.ts';
import { type Fingerprints, mostRows } from './inventory.ts';

export interface LastRun {
  readonly run: number;
  /** A hash of the settings and of the kinds that were listed. Fingerprints with another hash are not comparable. */
  readonly settings: string;
  readonly fingerprints: Fingerprints;
}

const rowBytes = 4;
const sumBytes = 6;
const entryBytes = rowBytes + sumBytes;

export function toData({ run, settings, fingerprints }: LastRun): StoredState['data'] {
  const { rowsPerNamespace } = fingerprints;
  const bytes = Buffer.alloc(fingerprints.rows.size * entryBytes);
  const rows = [...fingerprints.rows].toSorted(([a], [b]) => a - b);
  for (const [index, [row, sum]] of rows.entries()) {
    bytes.writeUInt32BE(row, index * entryBytes);
    bytes.writeUIntBE(sum, index * entryBytes + rowBytes, sumBytes);
  }
  const data = { run: String(run), settings, fingerprints: bytes.toString('base64') };
  return rowsPerNamespace === undefined ? data : { ...data, rowsPerNamespace: String(rowsPerNamespace) };
}

/** Returns undefined for data that this version cannot read. Then every object is enqueued. */
export function parseLastRun(data: StoredState['data']): LastRun | undefined {
  const { run = '', settings = '', fingerprints = '', rowsPerNamespace } = data;
  const bytes = Buffer.from(fingerprints, 'base64');
  const isWhole = bytes.toString('base64') === fingerprints && bytes.length % entryBytes === 0;
  const isReadable = isNumber(run) && isNumber(rowsPerNamespace ?? '0') && settings !== '' && isWhole;
  if (!isReadable || bytes.length > mostRows * entryBytes) {
    return undefined;
  }
  const rows = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += entryBytes) {
    rows.set(bytes.readUInt32BE(at), bytes.readUIntBE(at + rowBytes, sumBytes));
  }
  return {
    run: Number(run),
    settings,
    fingerprints: { rows, rowsPerNamespace: rowsPerNamespace === undefined ? undefined : Number(rowsPerNamespace) },
  };
}

function isNumber(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}
