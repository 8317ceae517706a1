"""Row-wise Adam against torch's Adam, and on rows that are left alone."""

import torch

from app.engine.training.trainers.static_trainer import RowAdam


def test_with_all_rows_it_is_torchs_adam() -> None:
    generator = torch.Generator().manual_seed(1)
    table = torch.randn(7, 3, generator=generator)
    expected = table.clone().requires_grad_()
    adam = torch.optim.Adam([expected], lr=0.01)
    ours = RowAdam(table)
    for _ in range(20):
        gradients = torch.randn(7, 3, generator=generator)
        expected.grad = gradients.clone()
        adam.step()
        ours.begin(0.01)
        ours.apply(torch.arange(4), gradients[:4])
        ours.apply(torch.arange(4, 7), gradients[4:])
    torch.testing.assert_close(ours.table, expected.detach())


def test_rows_that_are_not_chosen_stay_as_they_are() -> None:
    table = torch.ones(3, 2)
    ours = RowAdam(table)
    ours.begin(0.5)
    ours.apply(torch.tensor([1]), torch.ones(1, 2))
    # the first step of Adam is lr * sign(gradient)
    torch.testing.assert_close(table, torch.tensor([[1.0, 1], [0.5, 0.5], [1, 1]]))
    assert not ours.first_moments[[0, 2]].any()
