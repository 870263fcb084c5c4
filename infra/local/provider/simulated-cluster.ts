// SimulatedCluster and SimulatedLegacyCluster: infrastructure that exists only on paper, written with the actuator SDK.
//
// Fields (both kinds)
//   spec.provisionSeconds      number, minimum 0, default 1      how long provisioning takes; 0 = ready in the first reconcile
//   spec.deletionSeconds       number, minimum 0, default 1      how long deletion takes
//   spec.controlPlaneEndpoint  { host: string, port: int32 }     optional; published by the provider when empty (host `<name>.simulated.example`, port 6443)
//   spec.failureDomains        list of strings                   names to publish; default zone-a, zone-b, zone-c
//   status.startedAt           string, date-time (milliseconds)  when provisioning began
//   status.conditions          list of conditions (type, status, observedGeneration, lastTransitionTime, reason, message; map by type): Ready, Paused
// SimulatedCluster (contract v1beta2)
//   status.initialization.provisioned  boolean
//   status.failureDomains              list of { name, controlPlane, attributes: map of strings }, list map by name
// SimulatedLegacyCluster (contract v1beta1)
//   status.ready                       boolean
//   status.failureDomains              map name → { controlPlane, attributes: map of strings }
//   status.failureReason, status.failureMessage  string
