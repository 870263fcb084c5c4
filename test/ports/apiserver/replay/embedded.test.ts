// The embedded server, which lets a reader that does not read fall behind by twenty changes.
import { openEmbedded } from '../subject.ts';
import { replayProperty } from './replay.ts';

const history = { changes: 20, ms: 3_600_000, most: 10_000 };

replayProperty('embedded', () => openEmbedded({ history }), {
  file: 'test/ports/apiserver/replay/embedded.test.ts',
  plans: 15,
});
