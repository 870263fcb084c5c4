// The result of the previous resync, in a ConfigMap of the management cluster.
import type { StoredState } from '../../shared/event-source/state-config-map.ts';
import { type Fingerprints, mostRows } from './inventory.ts';
import { type LossRecords, parseLossText, toLossText } from './repairs.ts';

export interface LastRun {
  readonly run: number;
  /** A hash of the settings. Fingerprints with another hash are not comparable. */
  readonly settings: string;
  readonly fingerprints: Fingerprints;
  /** The ids of the kinds that could not be listed. */
  readonly unknown: ReadonlySet<string>;
  readonly losses: LossRecords;
}

const rowBytes = 4;
const sumBytes = 6;
const entryBytes = rowBytes + sumBytes;

export function toData({ run, settings, fingerprints, unknown, losses }: LastRun): StoredState['data'] {
  const { rowsPerNamespace } = fingerprints;
  const bytes = Buffer.alloc(fingerprints.rows.size * entryBytes);
  const rows = [...fingerprints.rows].toSorted(([a], [b]) => a - b);
  for (const [index, [row, sum]] of rows.entries()) {
    bytes.writeUInt32BE(row, index * entryBytes);
    bytes.writeUIntBE(sum, index * entryBytes + rowBytes, sumBytes);
  }
  const data = { run: String(run), settings, fingerprints: bytes.toString('base64') };
  return {
    ...data,
    ...(rowsPerNamespace === undefined ? {} : { rowsPerNamespace: String(rowsPerNamespace) }),
    ...(unknown.size === 0 ? {} : { unknown: [...unknown].toSorted().join(' ') }),
    ...(Object.keys(losses).length === 0 ? {} : { losses: toLossText(losses) }),
  };
}

/** Returns undefined for data that this version cannot read. Then every object is enqueued. */
export function parseLastRun(data: StoredState['data']): LastRun | undefined {
  const { run = '', settings = '', fingerprints = '', rowsPerNamespace, unknown, losses } = data;
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
    unknown: new Set(unknown?.split(' ')),
    losses: parseLossText(losses),
  };
}

function isNumber(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}
