// Snapshots: the state of a server as JSON, validated when it is parsed.
export { parseSnapshot } from './core/parse-snapshot.ts';
export { SnapshotError, type StoreSnapshot } from './core/snapshot.ts';
