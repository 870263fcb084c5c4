// The conditions that a health check writes to a Machine. Event sources load this module, so it imports nothing.

export const healthyType = 'HealthCheckSucceeded';
export const ownerRemediatedType = 'OwnerRemediated';
export const externallyRemediatedType = 'ExternallyRemediated';
