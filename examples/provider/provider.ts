// What `npm start -- --provider examples/provider` runs.
import { defineRackCluster } from './rack-cluster.ts';
import { createRacksInMemory } from './racks.ts';

export const reconcilers = [defineRackCluster(createRacksInMemory())];
