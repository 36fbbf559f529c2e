"""turned_by_scipy.py LOOP - what lessons/depth/loop.c finds by descent, found as the
horizontal lift of the target's path, which SciPy integrates: how far W_Q is from its start
when M is back, that the conserved matrix has not moved, and A from W_Q and from W_K."""

import subprocess
import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_sylvester

state = 3


def random_number():
    global state
    state = state * 48271 % 2147483647
    return 2 * state / 2147483647 - 1


def drawn():
    pair = np.array([[[1.5 * random_number(), 1.5 * random_number()] for _ in range(2)] for _ in range(5)])
    return pair[:, :, 0], pair[:, :, 1]


(q0, k0), (along_q, along_k) = drawn(), drawn()


def lifted(t, a):
    """The lift, where W_Q is the target's times A and W_K is its times A^-T."""
    a = a.reshape(2, 2)
    return (q0 + np.sin(t) * along_q) @ a, (k0 + (1 - np.cos(t)) * along_k) @ np.linalg.inv(a).T


def turning(t, a):
    """A' = A X, with the X that leaves the lift no part along the gauge."""
    q, k = lifted(t, a)
    a = a.reshape(2, 2)
    dq, dk = np.cos(t) * along_q @ a, np.sin(t) * along_k @ np.linalg.inv(a).T
    return (a @ solve_sylvester(q.T @ q, k.T @ k, dk.T @ k - q.T @ dq)).ravel()


end = solve_ivp(turning, [0, 2 * np.pi], np.eye(2).ravel(), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
q, k = lifted(2 * np.pi, end)
a_of_q, a_of_k = np.linalg.lstsq(q0, q)[0], np.linalg.inv(np.linalg.lstsq(k0, k)[0]).T
assert np.abs(q @ k.T - q0 @ k0.T).max() < 1e-12
assert np.abs(q.T @ q - k.T @ k - q0.T @ q0 + k0.T @ k0).max() < 1e-9
assert np.abs(a_of_q - a_of_k).max() < 1e-10
away = 100 * np.linalg.norm(q - q0) / np.linalg.norm(q0)

rows = [line.split("\t") for line in subprocess.check_output([sys.argv[1]], text=True).splitlines()]
found = {row[0]: [float(x) for x in row[1:]] for row in rows[1:]}
coarse, fine = (abs(x - away) for x in found["W_Q"])
assert coarse < 0.02 and fine < 0.002, (found["W_Q"], away)
print(f"scipy: the lift of the loop is {away:.4f}% from its start; loop.c, with two steps: {found['W_Q']}")
