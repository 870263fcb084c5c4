// Applies of a topology that are predicted to change nothing, on the embedded server.
import { openEmbedded } from '../subject.ts';
import { certainty } from './certainty.ts';
import { settledTopology } from './settled.ts';

certainty('embedded', () => openEmbedded(), 25);
settledTopology('embedded', () => openEmbedded());
