// The execution of a reconciler: one pass with its writes, its status and its Events.

// One pass over one object.

export { meterOfPass, type PassContext, type PassEnd, runPass } from './pass.ts';

// The Events of actions, for tools that print the effects of a pass, and for the function that runs it.

export { eventsOf, recordEvents } from './record-events.ts';

// The client that writes to workload clusters.

export type { WorkloadWriters, WorkloadWrites } from './workload-writes.ts';
