// The same property on a real kube-apiserver. Clients depend on this behaviour.
import { describeReal } from '../../../support/describe-real.ts';
import { openReal } from '../subject.ts';
import { replayProperty } from './replay.ts';

describeReal('replaying list and watch', () =>
  replayProperty('kube-apiserver', () => openReal({ controllers: false }), {
    file: 'test/ports/apiserver/replay/real.test.ts',
    plans: 5,
  }),
);
