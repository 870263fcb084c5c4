// The embedded server, with a limit of twenty unread changes for each watch.
import { openEmbedded } from '../subject.ts';
import { replayProperty } from './replay.ts';

const history = { changes: 20, ms: 3_600_000, most: 10_000 };

replayProperty('embedded', () => openEmbedded({ history }), {
  file: 'test/ports/apiserver/replay/embedded.test.ts',
  plans: 15,
});
