// The embedded server and a real kube-apiserver must agree after each of the same writes.
import { describeReal } from '../../../support/describe-real.ts';
import { openEmbedded, openReal } from '../subject.ts';
import { differential } from './differential.ts';

describeReal('ownership of fields', () =>
  differential('embedded and kube-apiserver', [openEmbedded, () => openReal({ controllers: false })], {
    file: 'test/ports/apiserver/ownership/real.test.ts',
    plans: 100,
  }),
);
