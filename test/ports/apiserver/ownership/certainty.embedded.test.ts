// What is believed to change nothing when a topology is applied, on the embedded server.
import { openEmbedded } from '../subject.ts';
import { certainty } from './certainty.ts';
import { settledTopology } from './settled.ts';

certainty('embedded', () => openEmbedded(), 25);
settledTopology('embedded', () => openEmbedded());
