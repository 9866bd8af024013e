// Failure is an answer that is not a success. Its status is 0 if there was no answer.
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
