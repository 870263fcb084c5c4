// The REST adapter of the clients of workload clusters, against the embedded API server and against faulty servers.
import { startApiServer } from '@capi-serverless/apiserver';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { connectHealthy, openFaulty } from './rest-subject.ts';
import { workloadApiConformance, workloadFaultConformance } from './suite.ts';

const closing: (() => Promise<void>)[] = [];

async function close(): Promise<void> {
  await Promise.all(closing.splice(0).map(end => end()));
}

workloadApiConformance('REST adapter, embedded API server', {
  openHealthy: async () => {
    const server = await startApiServer({ kinds: workloadKinds });
    closing.push(() => server.stop());
    return connectHealthy(server, closing);
  },
  close,
});

workloadFaultConformance('REST adapter', { openFaulty: fault => openFaulty(fault, closing), close });
