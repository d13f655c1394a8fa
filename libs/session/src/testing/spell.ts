import type { GatewayMessage, SupervisorMessage } from '../messages.ts';

/** One line of a transcript: what a message says, without what never differs. */
export function spell(message: GatewayMessage | SupervisorMessage): string {
  switch (message.kind) {
    case 'accepted':
      return `accepted ${message.sessionId}`;
    case 'ownership':
      return `ownership ${message.state} ${message.ownerEpoch}`;
    case 'configuration':
      return `configuration ${message.configuration.revision}`;
    case 'challenge':
      return `challenge ${message.sequence}`;
    case 'serving-lease':
      return `serving-lease for report ${message.ackOfReport} of ${message.ownerEpoch}`;
    case 'heartbeat-ack':
      return `heartbeat-ack ${message.sequence} age ${message.ageMs}`;
    case 'applied':
      return `applied ${message.revision} under ${message.ownerEpoch}`;
    case 'rejected':
      return `rejected ${message.revision} under ${message.ownerEpoch}: ${message.reason}`;
    case 'report':
      return `report ${message.sequence}: ${message.report.configRevision} under ${message.report.ownerEpoch}, ${message.report.routes.length} routes`;
    case 'heartbeat':
      return `heartbeat ${message.sequence}`;
    case 'release':
    case 'release-ack':
    case 'released':
      return `${message.kind} ${message.ownerEpoch}`;
    case 'fence':
    case 'fence-answer':
      return message.kind;
  }
}
