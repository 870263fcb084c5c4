// The audit webhook of the embedded server.
import { openEmbedded } from '../subject.ts';
import { auditConformance, auditPolicy } from './audit.ts';

auditConformance('embedded', ({ url, caPem, token }) =>
  openEmbedded({ audit: { url, caPem, token, policy: auditPolicy, batch: { initialBackoffMs: 100 } } }),
);
