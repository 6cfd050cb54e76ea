class Account {
  #balance = 0;
  get balance() {
    return this.#balance;
  }
  deposit(amount) {
    this.#balance += amount;
    return this;
  }
}
class Bonus extends Account {
  deposit(amount) {
    return super.deposit(amount + 1);
  }
}
function execute() {
  const account = new Bonus();
  for (let i = 0; i < 4500; i++) account.deposit(i);
  return account.balance;
}
