// What the Cluster reconciler stores about the connection to a workload cluster. Reconcilers of Machines read it.

/** The condition of the Cluster. */
export const remoteConnectionType = 'RemoteConnectionProbe';

/** The message of the condition before the first successful probe. */
export const neverConnectedMessage = 'Remote connection not established yet';

/** The time of the first failed probe, in RFC 3339 format. Upstream does not read this annotation of the Cluster. */
export const failingSinceAnnotation = 'capi-serverless.dev/probe-failing-since';
